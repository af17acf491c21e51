import { BffError } from '../../src/errors/bff-error.js';
import type { RequestContext } from '../../src/http/request-context.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import type { Outcome } from '../../src/operations/transport/graphql-result.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { EventObjects } from '../../src/webhooks/deliver/objects/event-objects.js';
import { readWebhookEvent } from '../../src/webhooks/receive/webhook-body.js';
import { EventCounts } from '../../src/webhooks/store/records/event-counts.js';
import { WebhookMetrics } from '../../src/webhooks/webhook-metrics.js';
import { expectShortTurns } from '../support/longest-turn.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { silentLog, useDelivery } from './delivery-setup.js';
import { ONE_SINK } from './event-store-setup.js';
import { anEvent } from './send-webhook.js';

const HIRERS = ['scheme:organization:a', 'scheme:organization:b'];
const EVENTS = 600;
const BURST = 2_000;
const EVENTS_PER_WEBHOOK = 10;
const DOWN: Outcome = new BffError('upstream_error', { message: 'graphql endpoint answered 502' });
const UP: Outcome = { status: 200, body: '{"data":{"candidateProfile":{"a":1}}}', errors: undefined };

describe.each(TEST_DATABASES)('after an outage of the upstream, in $name', ({ open }) => {
  const delivery = useDelivery(open);
  let answer: (hirerId: string) => Outcome;
  let calls: number;

  function openObjects(EVENT_OBJECT_PATIENCE_SECONDS = 3_600): EventObjects {
    calls = 0;
    return new EventObjects(
      loadOperations(['shipped']),
      {
        run: async (_items, context: RequestContext) => {
          calls += 1;
          return [answer(context.member!.hirerId)];
        },
      },
      { machineEntry: { roles: ['machine'], scopes: [] } } as never,
      { of: (_issuer: string, subject: string) => subject } as never,
      new WebhookMetrics(new Metrics(), new EventCounts(delivery.database, ONE_SINK), new Conditions()),
      silentLog,
      { EVENT_OBJECT_PATIENCE_SECONDS },
      delivery.now,
      delivery.now,
    );
  }

  test('what waits is asked for seldom, and goes out within a minute after the upstream answers again, each event once', async () => {
    const targets = [delivery.openSink()];
    const deliverer = delivery.openDeliverer(targets, delivery.database, 1, openObjects());
    const events = Array.from({ length: EVENTS }, (_, index) => {
      const hirerId = HIRERS[index % 2]!;
      return anEvent({
        id: `${hirerId}:${1_000 + index}`,
        hirerId,
        candidateApplicationProfileId: `p${index}`,
      });
    });
    await delivery.put(targets, ...events);
    answer = () => DOWN;
    for (let second = 0; second < 60; second += 1) {
      for (let turn = 0; turn < 10; turn += 1) await delivery.run(deliverer);
      delivery.clock += 1_000;
    }
    expect(calls).toBeLessThan(150); // of 600 possible ones
    expect(delivery.deliveredIds()).toEqual([]);
    expect((await new EventCounts(delivery.database, ONE_SINK).backlog())[0]).toEqual({
      sink: 'default',
      state: 'pending',
      count: EVENTS,
    });
    answer = () => UP;
    for (let second = 0; second < 70; second += 1) {
      for (let turn = 0; turn < 20; turn += 1) await delivery.run(deliverer);
      delivery.clock += 1_000;
    }
    expect(delivery.deliveredIds().sort()).toEqual(events.map(({ id }) => id).sort());
  });

  test('a hirer whose objects fail holds up neither the other hirer nor events without an object', async () => {
    const targets = [delivery.openSink()];
    const deliverer = delivery.openDeliverer(targets, delivery.database, 2, openObjects());
    const failing = Array.from({ length: 100 }, (_, index) =>
      anEvent({ hirerId: HIRERS[0], candidateApplicationProfileId: `p${index}` }),
    );
    answer = (hirerId) => (hirerId === HIRERS[0] ? DOWN : UP);
    await delivery.put(targets, ...failing);
    const other = anEvent({ hirerId: HIRERS[1], candidateApplicationProfileId: 'p' });
    const plain = anEvent({ hirerId: HIRERS[0], type: 'SomethingNew' });
    await delivery.put(targets, other, plain);
    for (let turn = 0; turn < 60; turn += 1) await delivery.run(deliverer);
    expect(delivery.deliveredIds().sort()).toEqual([other['id'], plain['id']].sort());
    expect(calls).toBeLessThan(20);
  });

  test('the patience counts from the receipt: what is sent again after it goes out at once, without its object', async () => {
    const targets = [delivery.openSink()];
    const deliverer = delivery.openDeliverer(targets, delivery.database, 1, openObjects());
    const event = anEvent({ hirerId: HIRERS[0], candidateApplicationProfileId: 'p' });
    answer = () => UP;
    await delivery.put(targets, event);
    await delivery.run(deliverer);
    answer = () => DOWN;
    delivery.clock += 3_600_001;
    await delivery.put(targets, event);
    await delivery.run(deliverer);
    expect(delivery.deliveredIds()).toEqual([event['id'], event['id']]);
  });

  test('after an hour, thousands at once: each is delivered once, and the event loop is never held', async () => {
    const delivered: string[] = [];
    const sink = delivery.openSink();
    sink.deliver = async ({ id }) => {
      delivered.push(id);
      return { kind: 'delivered' };
    };
    const deliverer = delivery.openDeliverer([sink], delivery.database, 8, openObjects(7_200));
    const sentBefore = 100;
    let sent = 0;
    const inbox = delivery.openInbox([sink]);
    const send = (count: number): Promise<unknown> => {
      const events = Array.from({ length: count }, () => {
        const hirerId = HIRERS[sent % 2]!;
        sent += 1;
        return anEvent({
          id: `${hirerId}:${100_000 + sent}`,
          hirerId,
          candidateApplicationProfileId: `p${sent}`,
        });
      });
      return inbox.put(
        events.map((event) => ({
          ...readWebhookEvent(event),
          trust: 'signed',
          subscriptionId: null,
          requestId: null,
        })),
      );
    };
    answer = () => DOWN;
    await send(sentBefore);
    for (let minute = 0; minute < 60; minute += 1) {
      await delivery.run(deliverer);
      delivery.clock += 60_000;
    }
    expect(delivered).toEqual([]);

    answer = () => UP;
    await expectShortTurns(async () => {
      await Promise.all(Array.from({ length: BURST / EVENTS_PER_WEBHOOK }, () => send(EVENTS_PER_WEBHOOK)));
      delivery.clock += 10_000;
      while (delivered.length < sent) {
        for (let turn = 0; turn < 25; turn += 1) await delivery.run(deliverer);
        delivery.clock += 1_000;
      }
    });
    expect(new Set(delivered).size).toBe(delivered.length);
  });
});
