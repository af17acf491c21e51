import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Cancellation } from '../../src/http/request-context.js';
import { openBroker } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { portOf } from '../support/machine.js';
import { frame, method, OPEN_OK, START, TUNE } from './amqp-frames.js';
import { aDelivery, aSink } from './delivery-setup.js';

const NONE = Buffer.alloc(0);

/** A broker of the test's own. */
async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  return `127.0.0.1:${await portOf(createServer(onConnection))}`;
}

test.each(['nats', 'amqp'])(
  'a sink by %s that is closed before it connects leaves no connection',
  async (scheme) => {
    const accepted = Promise.withResolvers<Socket>();
    const host = await listen((socket) => accepted.resolve(socket.on('error', () => undefined).resume()));
    const sink = await openBroker(aSink(new URL(`${scheme}://${host}/a`)));
    const delivered = sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation());
    const socket = await accepted.promise;
    await sink.close();
    expect(await delivered).toMatchObject({ kind: 'failed' });
    if (!socket.destroyed) await once(socket, 'close');
  },
);

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
    const host = await listen((socket) => {
      socket.on('error', () => undefined).on('data', () => socket.write(answers.shift() ?? NONE));
    });
    const url = new URL(`amqp://guest:guest@${host}`);
    const sink = await openBroker(aSink(url));
    expect(await sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation())).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^sink: no con(nection|firmation)/),
    });
    await sink.close();
  },
);

/** The first thing that a server says, or a later one. */
const NATS_INFO = 'INFO {"version":"2.10.0","max_payload":1048576,"headers":true}\r\n';

test.each([
  ['says nothing', [], 'no NATS server answers there in time'],
  ['sends bytes without a line', ['\x15'.repeat(64)], 'no NATS server answers there in time'],
  ['goes on in another way than it began', [NATS_INFO, 'XYZZY\r\n'], 'no NATS server answers there in time'],
  ['answers as a web server', ['HTTP/1.1 400 Bad Request\r\n\r\n'], 'what answers there is no NATS server'],
  ['begins with what is no JSON', ['INFO {nonsense}\r\n'], 'what answers there is no NATS server'],
])('what %s in place of NATS fails the delivery, and is named', async (_what, said, reason) => {
  const host = await listen((socket) => {
    socket.on('error', () => undefined).on('data', () => void socket.write(said[1] ?? NONE));
    socket.write(said[0] ?? NONE);
  });
  const sink = await openBroker(aSink(new URL(`nats://${host}/a`)));
  Object.assign(sink, { connectMs: reason.endsWith('in time') ? 300 : 60_000 });
  const printed = jest.spyOn(console, 'log').mockImplementation(); // the library does, of what is not its protocol
  const outcome = await sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation());
  expect(outcome).toMatchObject({ kind: 'failed', reason: `sink: ${reason}`, retryAfterMs: 1_000 });
  await sink.close();
  printed.mockRestore();
});
