import { folderOf } from '../support/machine.js';
import { NUSANTARA, useScriptedStack } from './proxy-stack.js';

const LIMIT = 1_048_576;

const OPERATIONS_DIR = folderOf({
  'a.graphql':
    'query A($h: String!, $bytes: Int) @hirer(variable: "h") @token(use: PARTNER) { a(h: $h, bytes: $bytes) { x } }',
});
const { upstream, stack } = useScriptedStack({ OPERATIONS_DIR });
let users: Record<'amelia' | 'bayu', string>;
beforeAll(async () => {
  users = { amelia: stack.amelia, bayu: await stack.playground.signIn('bayu') };
});
beforeEach(() => {
  upstream.reset();
  upstream.script = ({ variables }) => bodyOf(variables.bytes);
});

/** An answer of so many bytes, of small objects. */
function bodyOf(bytes: number): string {
  const tail = '"}]}}';
  const objects = '{"x":"0123456789abcdef0123456789abcdef"},'.repeat(
    Math.max(0, Math.floor((bytes - 100) / 41)),
  );
  const start = `{"data":{"a":[${objects}{"x":"`;
  return start + 'y'.repeat(Math.max(0, bytes - start.length - tail.length)) + tail;
}

const item = (bytes: number) => ({ documentId: 'A', variables: { bytes } });
const askAs = (user: 'amelia' | 'bayu', body: unknown) =>
  stack.ask(body, { authorization: `Bearer ${users[user]}`, 'x-hirer-id': NUSANTARA });

test('an answer up to the limit passes byte for byte, and one byte more is UPSTREAM_ERROR without data', async () => {
  const answer = await stack.ask(item(LIMIT));
  expect([answer.status, answer.text === bodyOf(LIMIT)]).toEqual([200, true]);
  const { status, body } = await stack.ask(item(LIMIT + 1));
  expect([status, body.data, body.errors[0].extensions.code]).toEqual([502, undefined, 'UPSTREAM_ERROR']);
});

test.each([[LIMIT + 1], [4 * LIMIT]])('an item of %d bytes fails alone', async (bytes) => {
  const { status, body } = await stack.ask([item(200), item(bytes), item(300)]);
  expect(status).toBe(200);
  expect(body[1].errors[0].extensions.code).toBe('UPSTREAM_ERROR');
  expect(body[1].data).toBeUndefined();
  for (const place of [0, 2]) expect(body[place].data.a.length).toBeGreaterThan(0);
});

test('ten large answers in an array pass', async () => {
  const { body } = await stack.ask(Array.from({ length: 10 }, () => item(LIMIT - 1_000)));
  expect(body.map(({ errors }: { errors?: unknown }) => errors)).toEqual(Array(10).fill(undefined));
});

test('large answers to many requests of one user leave those of another alone, within memory', async () => {
  const before = process.memoryUsage().rss;
  const many = Array.from({ length: 60 }, (_, index) => askAs('amelia', item(LIMIT - 1 - index)));
  const [small, large] = await Promise.all([askAs('bayu', item(200)), askAs('bayu', item(LIMIT))]);
  expect([small.status, large.status]).toEqual([200, 200]);
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  for (const status of statuses) expect([200, 429]).toContain(status);
  expect(statuses).toContain(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
});
