import { GraphqlController } from '../../src/proxy/graphql.controller.js';
import { jsonHead, openRaw } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { NUSANTARA, startScriptedStack, type ProxyStack } from './proxy-stack.js';
import type { ScriptedUpstream } from '../support/scripted-upstream.js';

const BODY_LIMIT = 65_536;
const CONNECTIONS = 60;

let upstream: ScriptedUpstream;
let stack: ProxyStack;
let bayu: string;
beforeEach(async () => {
  const limits = { BODY_LIMIT_BYTES: String(BODY_LIMIT), ANSWER_LIMIT_BYTES: '4194304' };
  ({ upstream, stack } = await startScriptedStack(limits));
  Object.assign(stack.service.app.get(GraphqlController), { slowReaderMs: 2_000 });
  bayu = await stack.playground.signIn('bayu');
});

/** Sends a request, or the beginning of one, as Amelia. */
async function send(body: string, bytes = body.length) {
  const head = jsonHead('POST', '/graphql', bytes).trimEnd();
  const own = [`authorization: Bearer ${stack.amelia}`, `x-hirer-id: ${NUSANTARA}`, '', body];
  const { socket, received } = await openRaw(stack.url, [head, ...own].join('\r\n'));
  return { socket, status: () => Number(/^HTTP\/1.1 (\d+)/.exec(received())?.[1]) || undefined };
}

const askAsBayu = async (): Promise<number> =>
  (await stack.ask({ query: '{ ok }' }, { authorization: `Bearer ${bayu}`, 'x-hirer-id': NUSANTARA })).status;

test('unfinished bodies of one user hold little memory, and others are served', async () => {
  const body = 'x'.repeat(BODY_LIMIT - 1);
  const callers = await Promise.all(Array.from({ length: CONNECTIONS }, () => send(body, BODY_LIMIT)));
  await until(() => callers.filter(({ status }) => status() === 429).length >= CONNECTIONS - 16);
  expect(callers.filter(({ status }) => status() === undefined)).toHaveLength(16);
  expect(await askAsBayu()).toBe(200);
  for (const { socket } of callers) socket.destroy();
  await until(async () => (await stack.ask(`{"query":"{ ok }"}${' '.repeat(40_000)}`)).status === 200);
});

test("answers that one user does not read are cut and block only that user's further ones; others are served", async () => {
  const large = JSON.stringify({ data: { ok: 'x'.repeat(4_000_000) } });
  upstream.script = (operation) => (operation.query === '{ large }' ? large : '{"data":{"ok":true}}');
  const body = JSON.stringify(Array.from({ length: 5 }, () => ({ query: '{ large }' })));
  for (let n = 0; n < 3; n += 1) (await send(body)).socket.pause();
  const ask = async (): Promise<number> =>
    (await stack.ask({ query: '{ ok }' }, { 'x-hirer-id': NUSANTARA })).status;
  await until(async () => (await ask()) === 429);
  expect(await askAsBayu()).toBe(200);
  await until(async () => (await ask()) === 200);
});
