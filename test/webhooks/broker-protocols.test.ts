import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Cancellation } from '../../src/http/request-context.js';
import { openBroker } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { portOf } from '../support/machine.js';
import { until } from '../support/until.js';
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

/** A method of AMQP 0-9-1 as a frame; the parts of its arguments are hex digits. */
function method(classId: number, methodId: number, parts: readonly string[] = [], channel = 0): Buffer {
  const ids = Buffer.alloc(4);
  ids.writeUInt16BE(classId, 0);
  ids.writeUInt16BE(methodId, 2);
  return frame(1, Buffer.concat([ids, Buffer.from(parts.join(''), 'hex')]), channel);
}

function frame(type: number, payload: Buffer, channel = 0): Buffer {
  const head = Buffer.alloc(7);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
}

/** What a broker says until the connection is open. */
const START = method(10, 10, ['0009', '00000000', longText('PLAIN'), longText('en_US')]);
const TUNE = method(10, 30, ['0000', '00020000', '0000']);
const OPEN_OK = method(10, 41, ['00']);

function longText(text: string): string {
  return Buffer.from(`\0\0\0${String.fromCharCode(text.length)}${text}`).toString('hex');
}

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

const CHANNEL = 1;
const METHOD = 1;
const PUBLISH = '60.40';
/** What the broker says to what it is told, by class and method. */
const ANSWERS: Readonly<Record<string, Buffer>> = {
  '10.11': TUNE,
  '10.40': OPEN_OK,
  '20.10': method(20, 11, ['00000000'], CHANNEL),
  '40.10': method(40, 11, [], CHANNEL),
  '85.10': method(85, 11, [], CHANNEL),
  '20.40': method(20, 41, [], CHANNEL),
  '10.50': method(10, 51),
};

/** A broker of the test's own, and the methods that it was told, by class and method. */
async function startBroker() {
  const told: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let bytes = Buffer.alloc(0);
    socket
      .on('error', () => undefined)
      .on('data', (data: Buffer) => {
        bytes = Buffer.concat([bytes, data]);
        if (bytes.toString('latin1', 0, 4) === 'AMQP') {
          bytes = bytes.subarray(8);
          socket.write(START);
        }
        while (bytes.length >= 7 && bytes.length >= 8 + bytes.readUInt32BE(3)) {
          const end = 8 + bytes.readUInt32BE(3);
          if (bytes[0] === METHOD) {
            const name = `${bytes.readUInt16BE(7)}.${bytes.readUInt16BE(9)}`;
            told.push(name);
            if (ANSWERS[name]) socket.write(ANSWERS[name]);
          }
          bytes = bytes.subarray(end);
        }
      });
  });
  const url = new URL(`amqp://guest:guest@127.0.0.1:${await portOf(server)}/?exchange=x`);
  return {
    url,
    told,
    published: () => told.filter((name) => name === PUBLISH).length,
    send: (...frames: Buffer[]) => sockets.at(-1)!.write(Buffer.concat(frames)),
  };
}

function shortText(text: string): string {
  return Buffer.from(`${String.fromCharCode(text.length)}${text}`).toString('hex');
}

function returned(id: string): Buffer {
  const head = method(60, 50, ['0138', shortText('NO_ROUTE'), shortText('x'), shortText('T.h')], CHANNEL);
  const properties = `003c0000${'00'.repeat(8)}0080${shortText(id)}`;
  return Buffer.concat([head, frame(2, Buffer.from(properties, 'hex'), CHANNEL)]);
}

function confirmed(tag: number): Buffer {
  return method(60, 80, [tag.toString(16).padStart(16, '0'), '00'], CHANNEL);
}

test('a message that comes back is not delivered, although another one of the same id came back for an attempt that was late', async () => {
  const broker = await startBroker();
  const sink = await openBroker({ ...aSink(broker.url), timeoutMs: 1_000 });
  const deliver = () => sink.deliver(aDelivery('{"id":"e1"}'), new Cancellation());
  const late = await deliver();
  const again = deliver();
  await until(() => broker.published() === 2);
  broker.send(returned('e1'), returned('e1'), confirmed(1), confirmed(2));
  expect([late, await again]).toMatchObject([
    { kind: 'failed', reason: 'sink: no confirmation in time' },
    { kind: 'failed', reason: 'sink: no queue is bound for its routing key' },
  ]);
  await sink.close();
});
