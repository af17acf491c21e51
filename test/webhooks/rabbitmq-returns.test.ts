import { createServer, type Socket } from 'node:net';
import { Cancellation } from '../../src/http/request-context.js';
import { openBroker } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { portOf } from '../support/machine.js';
import { until } from '../support/until.js';
import { frame, method, OPEN_OK, START, TUNE } from './amqp-frames.js';
import { aDelivery, aSink } from './delivery-setup.js';

const CHANNEL = 1;
const METHOD = 1;
const [PUBLISH, CLOSE] = ['60.40', '10.50'];
/** What the broker says to what it is told, by class and method. */
const ANSWERS: Readonly<Record<string, Buffer>> = {
  '10.11': TUNE,
  '10.40': OPEN_OK,
  '20.10': method(20, 11, ['00000000'], CHANNEL),
  '40.10': method(40, 11, [], CHANNEL),
  '85.10': method(85, 11, [], CHANNEL),
  '20.40': method(20, 41, [], CHANNEL),
  [CLOSE]: method(10, 51),
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
