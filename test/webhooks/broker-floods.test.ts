import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Cancellation } from '../../src/http/cancellation.js';
import { BrokerSink } from '../../src/webhooks/deliver/sinks/broker-sink.js';
import { dependencyClients } from '../support/parts.js';
import { until } from '../support/until.js';
import { frame, method, OPEN_OK, START, TUNE } from './amqp-frames.js';
import { aDelivery, aSink } from './delivery-setup.js';

const NONE = Buffer.alloc(0);
const CHUNK_BYTES = 65_536;
const READ_BYTES_MAX = 32 * 1_048_576;
const INFO = Buffer.from(
  'INFO {"server_id":"a","version":"2.11.0","proto":1,"headers":true,"max_payload":1048576}\r\n',
);
const MESSAGE = Buffer.from('MSG a.b 1 5\r\nhello\r\n');
const PONG = Buffer.from('PONG\r\n');
const CHANNEL_OK = [
  method(20, 11, ['00000000'], 1),
  method(85, 11, [], 1), // confirm.select-ok
  method(40, 11, [], 1), // exchange.declare-ok
];
const HEARTBEAT = frame(8, Buffer.alloc(0));
const RETURN = method(60, 50, ['0138', '00', '00', '00'], 1);
/** Says that the body is as large as can be. */
const ENDLESS = frame(2, Buffer.from('003c0000001fffffffffffff0000', 'hex'), 1);
const BODY = frame(3, Buffer.alloc(4_096), 1);

/** A broker of the test's own. */
async function listen(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Answers the first messages of the client with these, one each, and then sends for ever. */
async function startFlood(answers: readonly Buffer[], once: Buffer, forever: Buffer) {
  const flood = { isEnded: false, isFlooding: false };
  const chunk = Buffer.concat(Array<Buffer>(Math.ceil(CHUNK_BYTES / forever.length)).fill(forever));
  const pour = (socket: Socket): void => {
    if (socket.destroyed) return;
    if (socket.write(chunk)) setImmediate(pour, socket);
    else socket.once('drain', () => pour(socket));
  };
  const server = await listen((socket) => {
    const left = [...answers];
    if (left[0] === INFO) socket.write(left.shift()!);
    socket.on('error', () => undefined).once('close', () => (flood.isEnded = true));
    const onMessage = (): void => {
      const answer = left.shift();
      if (answer) return void socket.write(answer);
      if (flood.isFlooding) return;
      flood.isFlooding = true;
      socket.write(once);
      pour(socket);
    };
    socket.on('data', onMessage);
    if (left.length === 0) onMessage();
  });
  return Object.assign(flood, server);
}

/** The sockets of the service. */
let sockets: Socket[];
const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
beforeEach(() => {
  sockets = [];
  subscribe('net.client.socket', note);
});
afterEach(() => void unsubscribe('net.client.socket', note));

test.each([
  ['nats', 'greetings', [INFO, PONG], NONE, INFO],
  ['nats', 'pings', [INFO, PONG], NONE, Buffer.from('PING\r\n')],
  ['nats', 'messages', [INFO, PONG], NONE, MESSAGE],
  ['nats', 'large messages', [INFO, PONG], NONE, Buffer.from(`MSG a.b 1 65516\r\n${'x'.repeat(65_516)}\r\n`)],
  ['nats', 'errors', [INFO, PONG], NONE, Buffer.from("-ERR 'Permissions Violation for Publish'\r\n")],
  ['nats', 'one line', [INFO, PONG], Buffer.from('INFO {"'), Buffer.alloc(4_096, 'x')],
  ['nats', 'one line of greeting', [], Buffer.from('INFO {"'), Buffer.alloc(4_096, 'x')],
  ['amqp', 'heartbeats', [START, TUNE, OPEN_OK, ...CHANNEL_OK], NONE, HEARTBEAT],
  [
    'amqp',
    'one returned message',
    [START, TUNE, OPEN_OK, ...CHANNEL_OK],
    Buffer.concat([RETURN, ENDLESS]),
    BODY,
  ],
])(
  'a broker that floods (%s, %s) is left, early and with little of it read',
  async (scheme, _what, answers, once, forever) => {
    const flood = await startFlood(answers, once, forever);
    const settings = { ...aSink(new URL(`${scheme}://${flood.host}/a`)), timeoutMs: 60_000 };
    const sink = new BrokerSink(settings, dependencyClients());
    const delivered = sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation());
    await until(() => flood.isEnded);
    expect(flood.isFlooding).toBe(true);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]!.bytesRead).toBeGreaterThan(0);
    expect(sockets[0]!.bytesRead).toBeLessThan(READ_BYTES_MAX);
    expect(await delivered).toMatchObject({ kind: 'failed', reason: 'sink: the broker sends without end' });
    await sink.close();
    flood.close();
  },
);

test('a sink that is closed before it connects leaves no connection', async () => {
  const server = await listen((socket) => void socket.on('error', () => undefined));
  const sink = new BrokerSink(aSink(new URL(`nats://${server.host}/a`)), dependencyClients());
  const delivered = sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation());
  await sink.close();
  expect(await delivered).toMatchObject({ kind: 'failed' });
  await until(() => sockets[0]?.destroyed === true);
  server.close();
});

test('a broker that speaks something else is left at once, and nothing that it says is printed', async () => {
  const print = jest.spyOn(console, 'log').mockReturnValue();
  const server = await listen((socket) => {
    socket.on('error', () => undefined).write(INFO);
    socket.once('data', () => {
      socket.write(PONG);
      socket.once('data', () => socket.write('what a NATS server never says\r\n'));
    });
  });
  const url = new URL(`nats://${server.host}/a`);
  const sink = new BrokerSink({ ...aSink(url), timeoutMs: 60_000 }, dependencyClients());
  expect(await sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation())).toMatchObject({
    kind: 'failed',
    reason: 'sink: the connection ended before the confirmation',
  });
  expect(print).not.toHaveBeenCalled();
  print.mockRestore();
  await sink.close();
  server.close();
});

/** Frames of channel 0, as a broker sends them. */
const CLOSE = method(10, 50, ['021d', '05', Buffer.from('sorry').toString('hex'), '00000000']);
const FORCED = method(10, 50, ['0140', '05', Buffer.from('sorry').toString('hex'), '00000000']);
const NO_FRAME = Buffer.alloc(64, 'X');
const OF_NO_CHANNEL = frame(1, Buffer.from('003c0050', 'hex'), 7);

test.each([
  ['an error of the connection', CLOSE],
  ['a shutdown', FORCED],
  ['what is no frame', NO_FRAME],
  ['a frame of an unknown channel', OF_NO_CHANNEL],
])(
  '%s that comes with the last answer of the beginning fails the delivery, and ends nothing else',
  async (_what, more) => {
    const answers = [START, TUNE, Buffer.concat([OPEN_OK, more])];
    const broker = await listen((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(answers.shift() ?? NONE));
    });
    const sink = new BrokerSink(aSink(new URL(`amqp://guest:guest@${broker.host}`)), dependencyClients());
    expect(await sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation())).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^sink: (no connection|the connection ended)/),
    });
    await sink.close();
    broker.close();
  },
);
