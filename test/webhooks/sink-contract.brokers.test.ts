import { Webhook } from 'standardwebhooks';
import type { Sink, SinkSettings } from '../../src/webhooks/deliver/sinks/sink.js';
import { openBroker } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { HttpSink } from '../../src/webhooks/deliver/sinks/http-sink.js';
import { Cancellation } from '../../src/http/request-context.js';
import { faultOfDelivery, json, startJsonServer } from '../support/json-server.js';
import { endsByItself, runsOnServers } from '../support/machine.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';
import { BROKERS } from '../support/test-brokers.js';
import { CLIENT_SETTINGS } from '../support/parts.js';
import { aDelivery, aSink, KEYS, SCHEDULE_SECONDS, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

/** A receiver of events, whatever its technology. */
interface Receiver {
  readonly url: URL;
  received(): Promise<readonly { readonly headers: object; readonly body: string }[]>;
  clear(): Promise<void>;
}

async function openHttp(): Promise<Receiver> {
  const server = await startJsonServer(json({}, 200));
  return {
    url: server.url,
    received: async () => server.received,
    clear: async () => void ((server.received as unknown[]).length = 0),
  };
}

const RECEIVERS = runsOnServers() ? BROKERS : [{ name: 'HTTP', open: openHttp }];
/** Of a sink that answers, on a busy machine; and of one that is silent. */
const [TIMEOUT_MS, SILENT_MS] = [10_000, 1_500];

describe.each(RECEIVERS)('a sink by $name', ({ name, open }) => {
  const delivery = useDelivery();
  let receiver: Receiver;
  let gate: TcpGate;

  beforeAll(async () => {
    receiver = await open();
    gate = await openTcpGate(Number(receiver.url.port), receiver.url.hostname);
  });
  beforeEach(() => receiver.clear());
  afterEach(() => {
    gate.resume();
    gate.open();
  });

  async function openSink(overrides: Partial<SinkSettings> = {}): Promise<Sink> {
    const url = new URL(receiver.url);
    url.port = String(gate.port);
    const settings = { ...aSink(url), keys: () => KEYS, timeoutMs: TIMEOUT_MS, ...overrides };
    const sink =
      name === 'HTTP'
        ? new HttpSink(settings, CLIENT_SETTINGS, delivery.now)
        : await openBroker(settings, delivery.now);
    endsByItself(() => sink.close());
    return sink;
  }

  async function receivedIds(): Promise<unknown[]> {
    return (await receiver.received()).map(
      ({ headers }) => (headers as Record<string, unknown>)['webhook-id'],
    );
  }

  test('receives each event once, in a form that the official library verifies with either secret', async () => {
    const sinks = [await openSink()];
    const events = [anEvent({ note: 'ü "quoted"' }), anEvent({ number: 0.1 })];
    await delivery.put(...events);
    await delivery.run(delivery.openDeliverer({ sinks }));
    expect(await delivery.states()).toEqual(['delivered', 'delivered']);
    const received = await receiver.received();
    expect(received).toHaveLength(2);
    for (const { headers, body } of received) {
      expect(faultOfDelivery(body)).toBeUndefined();
      expect(headers).toMatchObject({ 'content-type': 'application/json' });
      for (const key of KEYS) {
        const webhook = new Webhook(`whsec_${key.toString('base64')}`);
        const { data } = webhook.verify(body, headers as Record<string, string>) as { data: { id: string } };
        expect(data).toEqual(events.find(({ id }) => id === data.id));
      }
    }
  });

  test('receives events without a signature where there is no secret', async () => {
    await delivery.deliver(anEvent({ id: 'e1' }), await openSink({ keys: () => [] }));
    const [received] = await receiver.received();
    expect(received!.headers).toMatchObject({ 'webhook-id': 'e1' });
    expect(received!.headers).not.toHaveProperty('webhook-signature');
  });

  test('receives a late repeat, under the same id and with a flag', async () => {
    const sink = await openSink();
    const event = anEvent();
    await delivery.deliver(event, sink);
    delivery.clock += 300_001;
    await delivery.deliver(event, sink);
    const flags = (await receiver.received()).map(({ headers }) => headers);
    expect(flags).toMatchObject([{ 'webhook-id': event['id'] }, { 'webhook-id': event['id'] }]);
    expect(flags[0]).not.toHaveProperty('webhook-repeat');
    expect(flags[1]).toMatchObject({ 'webhook-repeat': 'true' });
  });

  test('that is gone gets what failed when it is back, the oldest first, without a restart', async () => {
    const sinks = [await openSink()];
    const deliverer = delivery.openDeliverer({ sinks, concurrency: 1 });
    await delivery.put(anEvent({ id: 'before' }));
    await delivery.run(deliverer);
    gate.shut();
    for (const id of ['old-1', 'old-2', 'old-3']) {
      await delivery.put(anEvent({ id }));
      await delivery.run(deliverer);
      delivery.clock += 1_001; // a broker is left alone for a second
    }
    expect((await delivery.states()).sort()).toEqual(['delivered', 'failed', 'failed', 'failed']);
    expect((await delivery.list())[0]!.lastFailure).toMatch(
      /^sink: (connection|no connection|the connection ended)/,
    );
    gate.open();
    await delivery.put(anEvent({ id: 'new' }));
    for (let run = 0; run < 5; run += 1) await delivery.run(deliverer);
    expect(await receivedIds()).toEqual(['before', 'new', 'old-1', 'old-2', 'old-3']);
    expect(new Set(await delivery.states())).toEqual(new Set(['delivered']));
  });

  test.each([
    ['falls silent', [anEvent()], /timeout|no confirmation in time/],
    ['was silent from the start', [], /^sink: /],
  ])(
    'that %s is waited for until the deadline, and gets the event under its id when it speaks',
    async (_when, before, reason) => {
      const sinks = [await openSink({ timeoutMs: SILENT_MS })];
      const deliverer = delivery.openDeliverer({ sinks });
      await delivery.put(...before);
      await delivery.run(deliverer);
      gate.stall();
      const late = anEvent();
      await delivery.put(late);
      await delivery.run(deliverer);
      expect(await delivery.records().find(String(late.id))).toMatchObject({
        state: 'failed',
        lastFailure: expect.stringMatching(reason),
      });
      gate.resume();
      delivery.clock += SCHEDULE_SECONDS[0]! * 1_000;
      await delivery.run(deliverer);
      expect(new Set(await delivery.states())).toEqual(new Set(['delivered']));
      expect(new Set(await receivedIds())).toEqual(new Set([...before, late].map(({ id }) => id)));
    },
  );

  test.each(['connects', 'is to confirm'])(
    'that hangs while it %s does not hold up a stop',
    async (moment) => {
      const sink = await openSink({ timeoutMs: 30_000 });
      const deliverer = delivery.openDeliverer({ sinks: [sink] });
      if (moment === 'is to confirm') {
        await delivery.put(anEvent());
        await delivery.run(deliverer);
      }
      gate.stall();
      await delivery.put(anEvent({ id: 'under-way' }));
      await deliverer.takeDue();
      const startedAt = performance.now();
      await deliverer.onApplicationShutdown();
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      const [event] = (await delivery.list()).filter(({ id }) => id === 'under-way');
      expect(event).toMatchObject({ state: 'pending', attempts: 0 });
    },
  );

  test('takes no connection of an address that it may not have', async () => {
    const url = new URL(receiver.url);
    url.hostname = '169.254.169.254';
    const sink = await openSink({ url });
    const outcome = await sink.deliver(aDelivery('{}'), new Cancellation());
    expect(outcome).toEqual({ kind: 'failed', reason: 'sink: its address is not allowed' });
  });
});
