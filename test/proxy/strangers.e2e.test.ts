import { openRaw } from '../support/raw-connection.js';
import { startProxyStack, useProxyStack } from './proxy-stack.js';

const VERSION = { query: '{ version }' };
const STRANGER = { authorization: undefined, 'x-hirer-id': undefined };
const BYTES_MAX = 2_048;

const stack = useProxyStack();

/** Sends only the bytes, on a new connection; resolves to the first line of the answer. */
const firstLine = async (text: string): Promise<string> =>
  (await (await openRaw(stack.url, text)).receives(/\r\n/)).split('\r\n')[0]!;

const head = (...headers: string[]): string =>
  ['POST /graphql HTTP/1.1', 'host: x', 'content-type: application/json', ...headers, '', ''].join('\r\n');

describe('without a valid user', () => {
  test.each([
    ['version', VERSION],
    [
      'version under names, with a name of its own',
      { query: 'query V { a: version b: version }', operationName: 'V' },
    ],
    ['version with empty variables', { ...VERSION, variables: {}, extensions: {} }],
  ])('%s is answered, without a token', async (_, body) => {
    const answer = await stack.ask(body, STRANGER);
    expect([answer.status, Object.values(answer.body.data).length > 0]).toEqual([200, true]);
    expect(stack.playground.calls.list({ route: 'graphql' }).at(-1)?.token).toBe('none');
  });

  test.each<[string, unknown, Record<string, string>?]>([
    ['an array, of version alone too', [VERSION]],
    ['another field beside it', { query: '{ version self { hirer { name } } }' }],
    ['__typename beside it', { query: '{ version __typename }' }],
    ['a fragment', { query: '{ ...V } fragment V on Query { version }' }],
    ['a mutation', { query: 'mutation { version }' }],
    ['an argument', { query: '{ version(a: 1) }' }],
    ['two operations', { query: 'query A { version } query B { version }', operationName: 'A' }],
    ['the name of another operation', { ...VERSION, operationName: 'B' }],
    ['a text of more tokens than version needs', { query: `{ ${'version '.repeat(100)} }` }],
    ['a registered operation', { documentId: 'Hirer' }],
    ['a text that does not parse', { query: '{ version' }],
    ['a body that is not JSON', '{'],
    ['no body', ''],
    ['another content type', VERSION, { 'content-type': 'text/plain' }],
    ['a token that is not valid', { query: '{ self }' }, { authorization: 'Bearer x.y.z' }],
  ])('%s is refused 401, without an upstream call', async (_, body, headers = {}) => {
    const before = stack.calls('graphql');
    const answer = await stack.ask(body, { ...STRANGER, ...headers });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(stack.calls('graphql')).toBe(before);
  });

  test('a body of 2 kB is read, one byte more is refused', async () => {
    const padded = (bytes: number): string => JSON.stringify(VERSION).padEnd(bytes);
    expect((await stack.ask(padded(BYTES_MAX), STRANGER)).status).toBe(200);
    expect((await stack.ask(padded(BYTES_MAX + 1), STRANGER)).status).toBe(401);
    expect((await stack.ask(padded(BYTES_MAX + 1))).status).toBe(200);
  });

  test.each([
    ['declared', 'content-length: 1000000', '{'],
    ['declared larger than any limit', 'content-length: 1000000000000', '{'],
    ['of which 2 kB came in chunks', 'transfer-encoding: chunked', `1000\r\n${'x'.repeat(4_096)}\r\n`],
  ])('a larger body, %s, is refused 401 before the rest of it is sent', async (_, header, body) => {
    expect(await firstLine(head(header) + body)).toBe('HTTP/1.1 401 Unauthorized');
  });

  test('a chunked body within 2 kB is read', async () => {
    const body = JSON.stringify(VERSION);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await firstLine(head('transfer-encoding: chunked') + chunked)).toBe('HTTP/1.1 200 OK');
  });

  test.each(['POST /nowhere', 'PUT /graphql', 'PATCH /auth/token', 'POST /hirers'])(
    '%s is refused before its body is sent',
    async (route) => {
      const text = head('content-length: 1000000').replace('POST /graphql', route);
      expect(await firstLine(text)).toMatch(/^HTTP\/1.1 40[45] /);
    },
  );
});

describe('with a user who cannot be verified for now', () => {
  test('version is answered while there are no keys, and nothing else', async () => {
    const withoutKeys = await startProxyStack({ END_USER_JWKS_URL: 'http://127.0.0.1:1/keys' });
    const verdict = async (body: unknown) => {
      const answer = await withoutKeys.ask(body);
      return [answer.status, answer.body.errors?.[0].extensions.reason];
    };
    expect(await verdict(VERSION)).toEqual([200, undefined]);
    expect(await verdict({ query: '{ self { hirer { name } } }' })).toEqual([503, 'unavailable']);
    expect(await verdict([VERSION])).toEqual([503, 'unavailable']);
  });

  test('version is answered to a cookie without X-CSRF, and nothing else', async () => {
    const withCookie = await startProxyStack({ END_USER_COOKIE: 'session' });
    const headers = { ...STRANGER, cookie: `session=${withCookie.amelia}` };
    expect((await withCookie.ask(VERSION, headers)).status).toBe(200);
    const answer = await withCookie.ask({ query: '{ self { hirer { name } } }' }, headers);
    expect([answer.status, answer.body.errors[0].extensions.reason]).toEqual([403, 'csrf_failed']);
  });
});

describe('with a valid user', () => {
  test('version needs no hirer; in an array it needs one', async () => {
    const headers = { 'x-hirer-id': undefined };
    expect((await stack.ask(VERSION, headers)).status).toBe(200);
    expect((await stack.ask([VERSION], headers)).status).toBe(400);
    expect((await stack.ask([VERSION])).body[0].data.version).toEqual(expect.any(String));
  });
});
