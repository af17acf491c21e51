import { connect, type Socket } from 'node:net';
import { NUSANTARA, startProxyStack } from '../proxy/proxy-stack.js';
import { startScriptedUpstream } from '../support/scripted-upstream.js';
import { until } from '../support/until.js';

const BODY_BYTES = 60_000;
const LARGE = JSON.stringify({ data: { ok: 'x'.repeat(4_000_000) } });
const BOUNDS_MS = 120_000; // longer than the process may take to end

/**
 * A service and a playground in one process, both stopped while callers wait in every state, which the shutdown cuts. It
 * prints how often audit records were lost, and ends because nothing is left to do: nothing calls `process.exit`.
 */
const upstream = await startScriptedUpstream();
const stack = await startProxyStack({
  UPSTREAM_URL: upstream.url,
  ANSWER_LIMIT_BYTES: '8000000',
  UPSTREAM_TIMEOUT_MS: String(BOUNDS_MS),
  SHUTDOWN_TIMEOUT_MS: '300',
});
const sockets: Socket[] = [];

/** Sends a request of Amelia, or the beginning of one. */
function send(body: string, bytes = Buffer.byteLength(body)): Socket {
  const socket = connect(Number(new URL(stack.url).port), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: bff\r\nauthorization: Bearer ${stack.amelia}\r\n` +
      `x-hirer-id: ${NUSANTARA}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n${body}`,
  );
  return socket;
}

upstream.script = ({ query }) => (query === '{ large }' ? LARGE : 'hang');
for (let i = 0; i < 40; i += 1) send('x'.repeat(BODY_BYTES), BODY_BYTES + 1); // unfinished bodies
send('{"query":"{ large }"}').pause(); // an answer that is not read
send('{"query":"{ slow }"}'); // an upstream that does not answer
stack.playground.faults.add({ route: 'auth-token', delayMs: BOUNDS_MS });
await until(() => upstream.executed.length === 2);

await stack.close();
for (const socket of sockets) socket.destroy();
await upstream.server.close();
console.log(stack.logText().split('audit records are lost').length - 1);
