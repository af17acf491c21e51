import { BffError } from '../../src/errors/bff-error.js';
import type { RequestContext } from '../../src/http/request-context.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import type { Outcome } from '../../src/operations/transport/graphql-result.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import type { EventTarget } from '../../src/webhooks/deliver/event-target.js';
import { EventObjects } from '../../src/webhooks/deliver/objects/event-objects.js';
import { readWebhookEvent } from '../../src/webhooks/receive/webhook-body.js';
import { EventCounts } from '../../src/webhooks/store/records/event-counts.js';
import { WebhookMetrics } from '../../src/webhooks/webhook-metrics.js';
import { expectShortTurns } from '../support/longest-turn.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { silentLog, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

const HIRERS = ['scheme:organization:a', 'scheme:organization:b'];
const EVENTS = 600;
const BURST = 4_000;
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
      { sealFor: (text: string) => text } as never,
      { machineEntry: { roles: ['machine'], scopes: [] } } as never,
      { of: (_issuer: string, subject: string) => subject } as never,
      new WebhookMetrics(new Metrics(), new EventCounts(delivery.database), new Conditions()),
      silentLog,
      { EVENT_OBJECT_PATIENCE_SECONDS },
      delivery.now,
    );
  }

  const idsOf = (hirerId: string, ids: readonly unknown[]) =>
    ids.filter((id) => String(id).startsWith(hirerId));

  test('what waits is asked for seldom, and then goes out in the order of arrival of each hirer', async () => {
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
    expect((await new EventCounts(delivery.database, delivery.now).backlog())[0]).toEqual({
      sink: 'default',
      state: 'pending',
      count: EVENTS,
    });
    answer = () => UP;
    delivery.clock += 10_000;
    while (delivery.deliveredIds().length < EVENTS) {
      const before = delivery.deliveredIds().length;
      for (let turn = 0; turn < 20; turn += 1) await delivery.run(deliverer);
      if (delivery.deliveredIds().length === before) delivery.clock += 1_000;
    }
    for (const hirerId of HIRERS) {
      const ids = idsOf(hirerId, delivery.deliveredIds());
      expect(ids).toEqual([...ids].sort());
      expect(ids).toHaveLength(EVENTS / 2);
    }
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
    for (let turn = 0; turn < 20; turn += 1) await delivery.run(deliverer);
    expect(delivery.deliveredIds().sort()).toEqual([other['id'], plain['id']].sort());
    expect(calls).toBeLessThan(20);
  });

  test('after an hour, 4,000 at once: in order, with their end in sight, and the event loop is never held', async () => {
    const delivered: string[] = [];
    const sink: EventTarget = {
      name: 'sink',
      timeoutMs: 1_000,
      wants: () => true,
      deliver: async ({ id }) => {
        delivered.push(id);
        return { kind: 'delivered' };
      },
      close: async () => undefined,
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
    const endSeconds = async (): Promise<number> => {
      const { text } = await delivery.counted.expose();
      return Number(/^bff_webhook_backlog_end_seconds (.+)$/m.exec(text)![1]);
    };

    answer = () => DOWN;
    await send(sentBefore);
    for (let minute = 0; minute < 60; minute += 1) {
      await delivery.run(deliverer);
      delivery.clock += 60_000;
    }
    expect(delivered).toEqual([]);
    expect(await endSeconds()).toBeNaN();

    answer = () => UP;
    const ends: number[] = [];
    await expectShortTurns(async () => {
      await Promise.all(Array.from({ length: BURST / EVENTS_PER_WEBHOOK }, () => send(EVENTS_PER_WEBHOOK)));
      delivery.clock += 10_000;
      while (delivered.length < sent) {
        const before = delivered.length;
        for (let turn = 0; turn < 25; turn += 1) await delivery.run(deliverer);
        delivery.clock += 1_000; // 200 events a second
        if (delivered.length === before) continue;
        const end = await endSeconds();
        if (sent - delivered.length > 1_000) ends.push(end / ((sent - delivered.length) / 200));
      }
    });
    for (const hirerId of HIRERS) {
      const ids = idsOf(hirerId, delivered);
      expect(ids).toEqual([...ids].sort());
      expect(new Set(ids).size).toBe(sent / 2);
    }
    const known = ends.slice(2);
    expect(known.length).toBeGreaterThan(10);
    for (const ratio of known) expect(Math.abs(ratio - 1)).toBeLessThan(0.2);
  });

  test('the event loop is not held while many events are due at once', async () => {
    const targets = [delivery.openSink()];
    const deliverer = delivery.openDeliverer(targets, delivery.database, 8, openObjects());
    const many = Array.from({ length: 1_000 }, (_, index) =>
      anEvent({ hirerId: HIRERS[index % 2], candidateApplicationProfileId: `p${index}` }),
    );
    await delivery.put(targets, ...many);
    answer = () => UP;
    await expectShortTurns(async () => {
      for (let turn = 0; turn < 20; turn += 1) await delivery.run(deliverer);
    });
  });
});
