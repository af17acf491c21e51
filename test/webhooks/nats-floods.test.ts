import { lookup } from 'node:dns';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { openNats } from '../../src/webhooks/deliver/sinks/nats.js';
import { Cancellation } from '../../src/http/cancellation.js';

const INFO = 'INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1048576,"headers":true}\r\n';
const FLOOD_BYTES = 8_388_608;

let server: Server;
let life: Cancellation;
afterEach(() => {
  life.cancel();
  server.close();
});

/** A server that greets, and then sends the text again and again. */
async function openFlood(text: string, greeting = INFO): Promise<{ url: URL; end: Promise<string> }> {
  const end = Promise.withResolvers<string>();
  server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => end.resolve('the service closes the connection'));
    socket.write(greeting);
    if (greeting === '') void flood(socket, text).then(end.resolve);
    socket.on('data', (bytes) => {
      if (!bytes.includes('CONNECT')) return;
      socket.write('PONG\r\n');
      void flood(socket, text).then(end.resolve);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`nats://127.0.0.1:${port}/events`), end: end.promise };
}

async function flood(socket: Socket, text: string): Promise<string> {
  const chunk = Buffer.alloc(65_536, text);
  for (let bytes = 0; bytes < FLOOD_BYTES && !socket.destroyed; bytes += chunk.length) {
    await new Promise((resolve) => socket.write(chunk, resolve));
    await new Promise(setImmediate);
  }
  return socket.destroyed ? 'the service closes the connection' : 'the service took all of it';
}

test.each([
  ['pings', 'PING\r\n'],
  ['errors', "-ERR 'x'\r\n"],
  ['messages that nobody asked for', 'MSG foo 99 5\r\nhello\r\n'],
  ['large messages', `MSG foo 1 65516\r\n${'x'.repeat(65_516)}\r\n`],
])('a NATS server that floods with %s is left', async (_what, text) => {
  const { url, end } = await openFlood(text);
  life = new Cancellation();
  await openNats({ url, lookup }, life);
  expect(await end).toBe('the service closes the connection');
});

test('a NATS server whose greeting does not end is left', async () => {
  const { url, end } = await openFlood('A', '');
  life = new Cancellation();
  const opening = openNats({ url, lookup }, life);
  await expect(opening).rejects.toThrow();
  expect(await end).toBe('the service closes the connection');
});
