/* eslint-disable max-lines -- one upstream that fails, and what becomes of events meanwhile */
import { BffError } from '../../src/errors/bff-error.js';
import type { RequestContext } from '../../src/http/request-context.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import type { Operation } from '../../src/operations/operation.js';
import type { Outcome } from '../../src/operations/transport/graphql-result.js';
import { EventObjects } from '../../src/webhooks/deliver/event-objects.js';
import type { Json } from '../support/start-stack.js';
import { json } from '../support/json-server.js';
import { expectShortTurns, until } from '../support/until.js';
import { testDatabases } from '../support/test-database.js';
import { silentLog, useDelivery } from './delivery-setup.js';
import { anEvent, type SentEvent } from './send-webhook.js';

const HIRERS = ['scheme:organization:a', 'scheme:organization:b'];
const EVENTS = 600;
const BURST = 2_000;
const EVENTS_PER_WEBHOOK = 10;
const DOWN: Outcome = new BffError('upstream_error', { message: 'graphql endpoint answered 502' });
const LIMITED: Outcome = new BffError('rate_limited', { refusedBy: 'upstream', retryAfterSeconds: 30 });
const UP: Outcome = { status: 200, body: '{"data":{"candidateProfile":{"a":1}}}', errors: undefined };

/** An event of a hirer whose application is its object. */
function applied(hirerId = HIRERS[0], application = 'p'): SentEvent {
  return anEvent({ hirerId, candidateApplicationProfileId: application });
}

function failedField(code: string): Outcome {
  const errors = [{ message: 'failed', path: ['candidateProfile'], extensions: { code } }];
  const body = JSON.stringify({ data: { candidateProfile: null }, errors });
  return { status: 200, body, errors };
}

describe.each(testDatabases())('while the upstream fails, in $name', ({ open }) => {
  const delivery = useDelivery(open);
  let answer: (hirerId: string, application: unknown) => Outcome | Promise<Outcome>;
  let calls: number;

  /** A deliverer that asks for objects, and keeps events without them for so long. */
  function openDeliverer({ concurrency = 1, patienceSeconds = 3_600, sinks = [delivery.openSink()] } = {}) {
    calls = 0;
    const objects = new EventObjects(
      loadOperations(['shipped']),
      {
        run: async ([item], context: RequestContext) => {
          calls += 1;
          return [await answer(context.member!.hirerId, (item as Operation).variables?.['id'])];
        },
      },
      { machineEntry: { roles: ['machine'], scopes: [] } } as never,
      { of: (_issuer: string, subject: string) => subject } as never,
      silentLog,
      { EVENT_OBJECT_PATIENCE_SECONDS: patienceSeconds },
      delivery.now,
    );
    return delivery.openDeliverer({ sinks, concurrency, objects });
  }

  /** The `data` of each delivery, in order. */
  const receivedData = (): Json[] => delivery.server.received.map(({ body }) => JSON.parse(body).data);

  test.each([
    ['never answers', new BffError('upstream_timeout'), 'UPSTREAM_TIMEOUT'],
    ['fails the field', failedField('INTERNAL_SERVER_ERROR'), 'INTERNAL_SERVER_ERROR'],
  ])(
    'one that %s makes a delivery wait, and takes nothing from the schedule of the sink',
    async (_, failure, code) => {
      const deliverer = openDeliverer({ sinks: [delivery.openSink({ retrySeconds: [5] })] });
      answer = () => failure;
      await delivery.put(applied());
      await delivery.run(deliverer);
      const waiting = { state: 'pending', attempts: 0, lastFailure: `object: ${code}` };
      expect(await delivery.list()).toMatchObject([waiting]);
      expect(delivery.deliveredIds()).toEqual([]);
      answer = () => UP;
      delivery.server.answer = json({}, 500);
      delivery.clock += 2_000;
      await delivery.run(deliverer);
      expect(await delivery.list()).toMatchObject([{ state: 'failed', attempts: 1 }]);
      delivery.server.answer = json({}, 200);
      delivery.clock += 5_000;
      await delivery.run(deliverer);
      expect(receivedData().at(-1)).toMatchObject({ object: { candidateProfile: { a: 1 } } });
      expect(await delivery.list()).toMatchObject([{ state: 'delivered', attempts: 2, lastFailure: null }]);
    },
  );

  test('for longer than the patience, the event goes without its object', async () => {
    const deliverer = openDeliverer({ patienceSeconds: 60 });
    answer = () => DOWN;
    await delivery.put(applied());
    for (let second = 0; second < 60; second += 1) {
      await delivery.run(deliverer);
      expect(delivery.deliveredIds()).toEqual([]);
      delivery.clock += 1_000;
    }
    await delivery.run(deliverer);
    const [data] = receivedData();
    expect([data.object, data.objectErrors]).toEqual([undefined, [{ code: 'UPSTREAM_ERROR' }]]);
  });

  test('a rate limit is obeyed: nothing is asked until its end, and events without objects are delivered', async () => {
    const deliverer = openDeliverer();
    answer = () => LIMITED;
    const [limited, later] = [applied(HIRERS[0]), applied(HIRERS[1])];
    const plain = anEvent({ type: 'SomethingNew' });
    await delivery.put(limited);
    await delivery.run(deliverer);
    expect(await delivery.list()).toMatchObject([{ lastFailure: 'object: RATE_LIMITED' }]);
    answer = () => UP;
    await delivery.put(later, plain);
    for (let second = 0; second < 30; second += 1) {
      for (let turn = 0; turn < 3; turn += 1) await delivery.run(deliverer);
      delivery.clock += 1_000;
    }
    expect([delivery.deliveredIds(), calls]).toEqual([[plain['id']], 1]);
    for (let turn = 0; turn < 3; turn += 1) await delivery.run(deliverer);
    expect([new Set(delivery.deliveredIds()), calls]).toEqual([
      new Set([limited, later, plain].map(({ id }) => id)),
      3,
    ]);
  });

  test('slow objects hold up no other event, with less room than there are slow ones', async () => {
    const deliverer = openDeliverer({ concurrency: 2 });
    const slow = Promise.withResolvers<Outcome>();
    answer = (_, application) => (application === 'slow' ? slow.promise : UP);
    const waiting = [HIRERS[0], HIRERS[1], HIRERS[0]].map((hirerId) => applied(hirerId, 'slow'));
    const quick = HIRERS.map((hirerId) => applied(hirerId, 'quick'));
    await delivery.put(...waiting, ...quick);
    const delivered = (count: number) => async (): Promise<boolean> => {
      await deliverer.takeDue();
      return delivery.deliveredIds().length >= count;
    };
    await until(delivered(quick.length));
    expect(delivery.deliveredIds().sort()).toEqual(quick.map(({ id }) => id).sort());
    slow.resolve(UP);
    await until(delivered(quick.length + waiting.length));
    await deliverer.idle();
  });

  /** As many events of the first hirer, whose objects come when the test says so. */
  async function withSlowHirer(events: number, patienceSeconds = 3_600) {
    const deliverer = openDeliverer({ concurrency: 8, patienceSeconds });
    const asked: PromiseWithResolvers<Outcome>[] = [];
    answer = (hirerId) => {
      if (hirerId !== HIRERS[0]) return UP;
      const one = Promise.withResolvers<Outcome>();
      asked.push(one);
      return one.promise;
    };
    await delivery.put(...Array.from({ length: events }, () => applied()));
    return { deliverer, asked };
  }

  test('a hirer whose objects are slow holds up the others for the time of one object, however many events it has', async () => {
    const { deliverer, asked } = await withSlowHirer(300);
    for (let turn = 0; turn < 100; turn += 1) await deliverer.takeDue();
    await until(() => asked.length >= 8);
    const others = Array.from({ length: 3 }, () => applied(HIRERS[1]));
    await delivery.put(...others);
    delivery.clock += 9_000;
    for (const one of asked.slice(0, 8)) one.resolve(UP);
    await until(() => delivery.deliveredIds().length === 8);
    await until(async () => {
      await deliverer.takeDue();
      return others.every(({ id }) => delivery.deliveredIds().includes(String(id)));
    });
    answer = () => UP;
    for (const one of asked) one.resolve(UP);
    await deliverer.idle();
  });

  test('no event of a hirer whose objects are slow goes out without its own, however old it is', async () => {
    const { deliverer, asked } = await withSlowHirer(60);
    delivery.clock += 2 * 3_600_000;
    while (delivery.server.received.length < 60) {
      for (let turn = 0; turn < 10; turn += 1) await deliverer.takeDue();
      delivery.clock += 2_000;
      for (const one of asked.splice(0)) one.resolve(UP);
      await deliverer.idle();
    }
    expect(receivedData().filter(({ object }) => object === undefined)).toEqual([]);
  });

  test('an event older than the patience goes with its object, also after one rate limit', async () => {
    const deliverer = openDeliverer({ concurrency: 8 });
    answer = () => (calls === 1 ? LIMITED : UP);
    await delivery.put(...Array.from({ length: 30 }, () => applied()));
    delivery.clock += 2 * 3_600_000;
    for (let turn = 0; turn < 10; turn += 1) {
      await delivery.run(deliverer);
      delivery.clock += 10_000;
    }
    const objects = receivedData().map(({ object }) => object !== undefined);
    expect([objects.length, objects.filter((has) => !has).length]).toEqual([30, 1]);
  });

  test('a rate limit without end keeps no event longer than the patience', async () => {
    const deliverer = openDeliverer({ concurrency: 8, patienceSeconds: 60 });
    answer = () => LIMITED;
    await delivery.put(...Array.from({ length: 60 }, () => applied()));
    for (let second = 0; second <= 100; second += 2) {
      for (let turn = 0; turn < 4; turn += 1) await delivery.run(deliverer);
      delivery.clock += 2_003;
    }
    expect(delivery.deliveredIds()).toHaveLength(60);
  });

  test('that objects were slow once takes none from a quiet hirer hours later', async () => {
    const { deliverer, asked } = await withSlowHirer(1);
    await deliverer.takeDue();
    delivery.clock += 1_500;
    asked.splice(0)[0]!.resolve(UP);
    await deliverer.idle();
    await delivery.put(...Array.from({ length: 32 }, () => applied()));
    delivery.clock += 2 * 3_600_000;
    while (delivery.server.received.length < 33) {
      for (let turn = 0; turn < 10; turn += 1) await deliverer.takeDue();
      for (const one of asked.splice(0)) one.resolve(UP);
      await deliverer.idle();
      delivery.clock += 60_000;
    }
    expect(receivedData().filter(({ object }) => object === undefined)).toEqual([]);
  });

  test.each([0, 60])('events of a hirer whose calls time out wait no longer than %i s', async (seconds) => {
    const { deliverer, asked } = await withSlowHirer(100, seconds);
    for (let second = 1; second <= seconds + 30; second += 1) {
      for (let turn = 0; turn < 20; turn += 1) await deliverer.takeDue();
      await new Promise(setImmediate);
      delivery.clock += 1_000;
      if (second % 10 === 0) for (const one of asked.splice(0)) one.resolve(DOWN);
    }
    await until(async () => {
      await deliverer.takeDue();
      for (const one of asked.splice(0)) one.resolve(DOWN);
      return delivery.deliveredIds().length === 100;
    });
  });

  test('a hirer whose objects were too late holds up the others no more, while they are asked for again', async () => {
    const { deliverer, asked } = await withSlowHirer(100);
    for (let turn = 0; turn < 20; turn += 1) await deliverer.takeDue();
    await until(() => asked.length >= 16);
    delivery.clock += 10_000;
    for (const one of asked.splice(0)) one.resolve(DOWN);
    await deliverer.idle();
    for (let turn = 0; turn < 20; turn += 1) await deliverer.takeDue();
    await until(() => asked.length >= 16);
    const other = applied(HIRERS[1]);
    await delivery.put(other);
    await until(async () => {
      await deliverer.takeDue();
      return delivery.deliveredIds().includes(String(other.id));
    }, 10_000);
    const rest = asked.splice(0);
    answer = () => UP;
    for (const one of rest) one.resolve(UP);
    await deliverer.idle();
  });

  test('what waits is asked for seldom, and goes out within a minute after the upstream answers again, each event once', async () => {
    const deliverer = openDeliverer();
    const events = Array.from({ length: EVENTS }, (_, index) => applied(HIRERS[index % 2], `p${index}`));
    await delivery.put(...events);
    answer = () => DOWN;
    for (let second = 0; second < 60; second += 1) {
      for (let turn = 0; turn < 10; turn += 1) await delivery.run(deliverer);
      delivery.clock += 1_000;
    }
    expect(delivery.deliveredIds()).toEqual([]);
    const text = await delivery.counted.registry.metrics();
    expect(text).toContain(`bff_webhook_backlog{state="pending"} ${EVENTS}\n`);
    answer = () => UP;
    for (let second = 0; second < 70; second += 1) {
      for (let turn = 0; turn < 20; turn += 1) await delivery.run(deliverer);
      delivery.clock += 1_000;
    }
    expect(delivery.deliveredIds().sort()).toEqual(events.map(({ id }) => id).sort());
  });

  test('an object that comes when the lease of its event has ended is not delivered: the next claim delivers it', async () => {
    const deliverer = openDeliverer();
    answer = () => {
      delivery.clock += 600_000; // as where the process was suspended
      answer = () => UP;
      return UP;
    };
    await delivery.put(applied());
    await delivery.run(deliverer);
    expect(delivery.deliveredIds()).toEqual([]);
    await delivery.run(deliverer);
    expect(delivery.deliveredIds()).toHaveLength(1);
  });

  test('a hirer whose objects fail holds up neither the other hirer nor events without an object', async () => {
    const deliverer = openDeliverer({ concurrency: 2 });
    const failing = Array.from({ length: 100 }, (_, index) => applied(HIRERS[0], `p${index}`));
    answer = (hirerId) => (hirerId === HIRERS[0] ? DOWN : UP);
    await delivery.put(...failing);
    const other = applied(HIRERS[1]);
    const plain = anEvent({ hirerId: HIRERS[0], type: 'SomethingNew' });
    await delivery.put(other, plain);
    for (let turn = 0; turn < 60; turn += 1) await delivery.run(deliverer);
    expect(delivery.deliveredIds().sort()).toEqual([other['id'], plain['id']].sort());
  });

  test('the patience counts from the receipt: what is sent again after it goes out at once, without its object', async () => {
    const deliverer = openDeliverer();
    const event = applied();
    answer = () => UP;
    await delivery.put(event);
    await delivery.run(deliverer);
    answer = () => DOWN;
    delivery.clock += 3_600_001;
    await delivery.put(event);
    await delivery.run(deliverer);
    expect(delivery.deliveredIds()).toEqual([event['id'], event['id']]);
  });

  test('after an hour, thousands at once: each is delivered once, and the event loop is never held', async () => {
    const { sink, ids: delivered } = delivery.openQuickSink();
    const deliverer = openDeliverer({ sinks: [sink], concurrency: 8, patienceSeconds: 7_200 });
    const sentBefore = 100;
    let sent = 0;
    const send = (count: number): Promise<unknown> => {
      const events = Array.from({ length: count }, (_, index) =>
        applied(HIRERS[index % 2], `p${sent + index}`),
      );
      sent += count;
      return delivery.put(...events);
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
