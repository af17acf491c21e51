import { connect, type Socket } from 'node:net';
import { GraphqlController } from '../../src/proxy/graphql.controller.js';
import { until } from '../support/until.js';
import { NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';

const BODY_LIMIT = 65_536;
const CONNECTIONS = 60;

let upstream: ScriptedUpstream;
let stack: ProxyStack;
let bayu: string;
let sockets: Socket[];
beforeEach(async () => {
  sockets = [];
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({
    UPSTREAM_URL: upstream.url,
    BODY_LIMIT_BYTES: String(BODY_LIMIT),
    ANSWER_LIMIT_BYTES: '4194304',
  });
  Object.assign(stack.service.app.get(GraphqlController), { slowReaderMs: 2_000 });
  bayu = await stack.playground.signIn('bayu');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
});

interface Caller {
  readonly socket: Socket;
  readonly status: () => number | undefined;
  readonly closed: () => boolean;
}

/** Sends a request, or the beginning of one, as Amelia. */
function send(body: string, bytes = body.length): Caller {
  const socket = connect({ port: Number(new URL(stack.url).port), host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  let [received, closed] = ['', false];
  socket.on('error', () => undefined).on('close', () => (closed = true));
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1', 0, 20)));
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: bff\r\nauthorization: Bearer ${stack.amelia}\r\n` +
      `x-hirer-id: ${NUSANTARA}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n${body}`,
  );
  const status = (): number | undefined => Number(/^HTTP\/1.1 (\d+)/.exec(received)?.[1]) || undefined;
  return { socket, status, closed: () => closed };
}

const askAsBayu = async (): Promise<number> =>
  (await stack.ask({ query: '{ ok }' }, { authorization: `Bearer ${bayu}`, 'x-hirer-id': NUSANTARA })).status;

test('unfinished bodies of one user hold little memory, and others are served', async () => {
  const callers = Array.from({ length: CONNECTIONS }, () => send('x'.repeat(BODY_LIMIT - 1), BODY_LIMIT));
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
  const callers = Array.from({ length: 3 }, () => {
    const caller = send(body);
    caller.socket.pause();
    return caller;
  });
  const ask = async (): Promise<number> =>
    (await stack.ask({ query: '{ ok }' }, { 'x-hirer-id': NUSANTARA })).status;
  await until(async () => (await ask()) === 429);
  expect(await askAsBayu()).toBe(200);
  await until(async () => (await ask()) === 200);
  expect(callers).toHaveLength(3);
});
