import { createServer, type AddressInfo, type Socket } from 'node:net';
import { BrokerSink } from '../../src/webhooks/deliver/sinks/broker-sink.js';
import { dependencyClients } from '../support/parts.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { frame, method, OPEN_OK, START, TUNE } from './amqp-frames.js';
import { aSink, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

/** Frames of channel 0, as a broker sends them. */
const CLOSE = method(10, 50, ['021d', '05', Buffer.from('sorry').toString('hex'), '00000000']);
const FORCED = method(10, 50, ['0140', '05', Buffer.from('sorry').toString('hex'), '00000000']);
const NO_FRAME = Buffer.alloc(64, 'X');
const OF_NO_CHANNEL = frame(1, Buffer.from('003c0050', 'hex'), 7);

const delivery = useDelivery(TEST_DATABASES[0]!.open);

/** Answers each message of the client with the next of these, in one piece. */
async function startBroker(answers: readonly Buffer[]): Promise<{ url: URL; close: () => Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const left = [...answers];
    open.add(socket);
    socket.on('error', () => undefined).on('data', () => socket.write(left.shift() ?? Buffer.alloc(0)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`amqp://guest:guest@127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

test.each([
  ['an error of the connection', CLOSE],
  ['a shutdown', FORCED],
  ['what is no frame', NO_FRAME],
  ['a frame of an unknown channel', OF_NO_CHANNEL],
])(
  '%s that comes with the last answer of the beginning fails the delivery, and ends nothing else',
  async (_what, more) => {
    const broker = await startBroker([START, TUNE, Buffer.concat([OPEN_OK, more])]);
    const sink = new BrokerSink(aSink(broker.url), dependencyClients(), delivery.now);
    await delivery.put([sink], anEvent());
    await delivery.run(delivery.openDeliverer([sink]));
    expect((await delivery.records())[0]).toMatchObject({
      state: 'failed',
      lastFailure: expect.stringMatching(/^sink: (no connection|the connection ended)/),
    });
    await sink.close();
    await broker.close();
  },
);
