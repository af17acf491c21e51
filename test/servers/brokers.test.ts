import { connect, createServer } from 'node:net';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { connect as connectAmqp } from 'amqplib';
import type { Sink } from '../../src/webhooks/deliver/sinks/sink.js';
import { openBroker } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { endsByItself, portOf } from '../support/machine.js';
import { forgetEvents } from '../support/stored.js';
import { STREAM_BYTES_MAX, BROKERS, type TestBroker } from '../support/test-brokers.js';
import { Cancellation } from '../../src/http/request-context.js';
import { aDelivery, anObject, aSink, useDelivery } from '../webhooks/delivery-setup.js';
import { anEvent } from '../webhooks/send-webhook.js';

const HOSTILE = ['*', '>', '#', 'a.b', 'a.>', ' ', 'a b\r\nPUB x 0\r\n', '$JS.API.INFO', 'ü%', '-', '~'];

/** What the broker is like, how its sink says so, and what makes it so, which gives the URL to use. */
type Refusal = readonly [how: string, reason: string, arrange: (broker: TestBroker) => Promise<URL> | URL];

const REFUSALS: Readonly<Record<'NATS' | 'RabbitMQ', readonly Refusal[]>> = {
  NATS: [
    ['has no stream for the subject', 'no stream takes it', ({ url }) => new URL('/nobody.listens', url)],
    ['has a full stream', 'no stream takes it (JetStream error 10077)', fillStream],
  ],
  RabbitMQ: [
    [
      'has no queue for the routing key',
      'no queue is bound for its routing key',
      (broker) => broker.unbind().then(() => broker.url),
    ],
    [
      'has no such exchange',
      'there is no exchange nobody-made-it',
      ({ url }) => new URL('?exchange=nobody-made-it', url),
    ],
    ['has a full queue', 'the broker could not store it', fillQueue],
    [
      'knows no such user',
      'the broker refuses the credentials',
      ({ url }) => Object.assign(new URL(url), { password: 'a-wrong-password' }),
    ],
    [
      'has no such virtual host',
      'the virtual host is not there, or not for these credentials',
      ({ url }) => new URL(`/nowhere${url.search}`, url),
    ],
    [
      'is something else',
      'no connection (CONN_CLOSE)',
      ({ url }) => withPort(url, Number(delivery.server.url.port)),
    ],
  ],
};

const delivery = useDelivery();

async function openSink(url: URL, timeoutMs = 5_000): Promise<Sink> {
  const sink = await openBroker({ ...aSink(url), timeoutMs }, delivery.now);
  endsByItself(() => sink.close());
  return sink;
}

test.each(['nats://u:secret@127.0.0.1:9/', 'amqp://u:secret@127.0.0.1:9'])(
  'a broker that is not there is left alone for a second, so that a backlog does not use up its attempts: %s',
  async (url) => {
    const sinks = [await openSink(new URL(url))];
    await delivery.put(...Array.from({ length: 20 }, () => anEvent()));
    const deliverer = delivery.openDeliverer({ sinks });
    for (let run = 0; run < 5; run += 1) await delivery.run(deliverer);
    const failed = (await delivery.list()).filter(({ state }) => state === 'failed');
    expect(failed).toHaveLength(8);
    expect(failed[0]).toMatchObject({ lastFailure: 'sink: no connection (ECONNREFUSED)' });
    delivery.clock += 1_001;
    await delivery.run(deliverer);
    expect((await delivery.states()).filter((state) => state === 'failed')).toHaveLength(16);
  },
);

/** What the streams, and then the servers, of the suite do not take: RabbitMQ's own bound is 16 MiB since 4.0, 128 MiB before. */
const TOO_LARGE_BYTES = { NATS: [STREAM_BYTES_MAX, 2_000_000], RabbitMQ: [140_000_000] };

const TOO_LARGE = BROKERS.flatMap(({ name, open }) =>
  TOO_LARGE_BYTES[name].map((bytes) => ({ name, open, bytes })),
);
for (const { name, open, bytes } of TOO_LARGE) {
  test(`events of ${bytes} bytes, too large for ${name}, come without their object, and are dead at once where that is too large`, async () => {
    const broker = await open();
    const sink = await openSink(broker.url, 60_000);
    const large = 'x'.repeat(bytes);
    const whole = { ...aDelivery('{"id":"e1"}'), object: anObject(large) };
    expect(await sink.deliver(whole, new Cancellation())).toMatchObject({ kind: 'delivered' });
    const [received] = await broker.received();
    expect(JSON.parse(received!.body).data).toEqual({
      id: 'e1',
      objectErrors: [{ code: 'NOT_FOUND' }, { code: 'PAYLOAD_TOO_LARGE' }],
    });
    const payload = JSON.stringify({ id: 'e2', large });
    expect(await sink.deliver(aDelivery(payload), new Cancellation())).toMatchObject({
      kind: 'dead',
      reason: 'sink: it is larger than the broker takes',
    });
    expect(await sink.deliver(aDelivery('{"id":"e3"}'), new Cancellation())).toEqual({ kind: 'delivered' });
  });
}

for (const { name, open } of BROKERS) {
  describe(`events to ${name}`, () => {
    let broker: TestBroker;
    beforeEach(async () => {
      broker = await open();
    });

    test('stand under their type and hirer, and never elsewhere, whatever these hold', async () => {
      const sinks = [await openSink(broker.url)];
      const pairs = HOSTILE.flatMap((text) => [
        { type: text, hirerId: 'h' },
        { type: 'T', hirerId: text },
      ]);
      await delivery.put(...pairs.map((pair) => anEvent(pair)));
      const deliverer = delivery.openDeliverer({ sinks });
      for (let run = 0; run < pairs.length; run += 8) await delivery.run(deliverer);
      const received = await broker.received();
      expect(received).toHaveLength(pairs.length);
      for (const { key, body } of received) {
        const { type, data } = JSON.parse(body);
        const [first, second, ...rest] = key.split('.').map((word) => decodeURIComponent(word));
        expect([first, rest]).toEqual([type, []]);
        expect([data.hirerId, null]).toContain(second === '-' ? null : second);
      }
    });

    test('that are as long as can be are stored', async () => {
      const event = anEvent({ id: 'e'.repeat(255), type: '€'.repeat(255), hirerId: 'h'.repeat(255) });
      await delivery.deliver(event, await openSink(broker.url));
      expect(await delivery.states()).toEqual(['delivered']);
    });

    test.each(['breaks off', 'is silent'] as const)(
      'are retried if it %s at any step of the beginning, which ends no process',
      async (how) => {
        const places = await Promise.all(
          [0, 1, 2, 3, 4, 5].map((steps) => openFaltering(broker, steps, how)),
        );
        for (const url of places) await delivery.deliver(anEvent(), await openSink(url, 300));
        for (const { state, lastFailure } of await delivery.list()) {
          expect(lastFailure ?? state).toMatch(/no con(nection|firmation)|the connection ended|^delivered$/);
        }
      },
    );

    test('are as many at once as the sink allows, over one connection', async () => {
      const sinks = [await openSink(broker.url)];
      await delivery.put(...Array.from({ length: 300 }, () => anEvent({ note: 'x'.repeat(50_000) })));
      const deliverer = delivery.openDeliverer({ sinks, concurrency: 100 });
      for (let run = 0; run < 3; run += 1) await delivery.run(deliverer);
      expect(new Set(await delivery.states())).toEqual(new Set(['delivered']));
      expect(new Set((await broker.received()).map(({ headers }) => headers['webhook-id'])).size).toBe(300);
    });

    test.each(REFUSALS[name])(
      'are retried if it %s, and the reason says so',
      async (_how, reason, arrange) => {
        await delivery.deliver(anEvent(), await openSink(await arrange(broker)));
        expect((await delivery.list())[0]).toMatchObject({
          state: 'failed',
          lastFailure: `sink: ${reason}`,
        });
      },
    );
  });
}

/** The URL of a way to the broker, which falters once the broker has sent something so many times. */
async function openFaltering(
  { url }: TestBroker,
  steps: number,
  how: 'breaks off' | 'is silent',
): Promise<URL> {
  const server = createServer((client) => {
    let sent = 0;
    const target = connect(Number(url.port), url.hostname);
    const falter = (): void => void (how === 'breaks off' && client.resetAndDestroy());
    target.on('data', (data) => (sent++ < steps ? client.write(data) : falter()));
    target.on('error', () => undefined).once('close', () => client.destroy());
    client.on('error', () => undefined).once('close', () => target.destroy());
    client.pipe(target);
  });
  return withPort(url, await portOf(server));
}

function withPort(url: URL, port: number): URL {
  return Object.assign(new URL(url), { port: String(port) });
}

test('two sinks whose subjects are in one stream both get an event, each of them once', async () => {
  const broker = await BROKERS[0]!.open(); // NATS
  const [one, other] = ['one', 'other'].map((word) => new URL(`${broker.url.pathname}.${word}`, broker.url));
  const event = anEvent();
  for (const url of [one!, other!, one!, other!]) {
    await delivery.deliver(event, await openSink(url));
    await forgetEvents(delivery.database);
  }
  const keys = (await broker.received()).map(({ key }) => key.split('.')[0]);
  expect(keys).toEqual(['one', 'other']);
});

async function fillStream({ url }: TestBroker): Promise<URL> {
  const connection = await connectNats({ servers: url.host });
  const name = url.pathname.slice(1);
  const manager = await jetstreamManager(connection);
  await manager.streams.update(name, { max_msgs: 1, discard: 'new' });
  await manager.jetstream().publish(`${name}.a.b`, 'full');
  await connection.close();
  return url;
}

async function fillQueue(broker: TestBroker): Promise<URL> {
  const model = await connectAmqp(broker.url.href.replace(/\?.*/, ''));
  const channel = await model.createConfirmChannel();
  const exchange = broker.url.searchParams.get('exchange')!;
  await broker.unbind();
  const { queue } = await channel.assertQueue('', {
    arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' },
    expires: 60_000,
  });
  await channel.bindQueue(queue, exchange, '#');
  channel.publish(exchange, 'a.b', Buffer.from('full'));
  await channel.waitForConfirms();
  await model.close();
  return broker.url;
}
