import { randomBytes } from 'node:crypto';
import type { lookup } from 'node:dns';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { Metrics } from '../../src/telemetry/metrics.js';
import type { Database } from '../../src/storage/database.js';
import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { EventCounts } from '../../src/webhooks/store/event-counts.js';
import { EventDeliverer } from '../../src/webhooks/deliver/event-deliverer.js';
import { EventRefused, type EventHandler } from '../../src/webhooks/deliver/event-handler.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventRecords, type EventRecord } from '../../src/webhooks/store/event-records.js';
import { EventSink, type SinkSettings } from '../../src/webhooks/deliver/event-sink.js';
import type { EventTarget } from '../../src/webhooks/deliver/event-target.js';
import { HandlerTarget } from '../../src/webhooks/deliver/handler-target.js';
import { readWebhookEvent } from '../../src/webhooks/receive/webhook-body.js';
import type { EventTrust } from '../../src/webhooks/store/webhook-event.js';
import { WebhookMetrics } from '../../src/webhooks/webhook-metrics.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { anEvent, type SentEvent } from './send-webhook.js';

const KEYS = [randomBytes(32), randomBytes(24)];
const LEASE_MS = 30_000;
const SCHEDULE_SECONDS = [5, 30, 120, 600];
const resolveToLoopback = ((_name: string, _options: unknown, done: (fault: null, all: unknown) => void) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])) as unknown as typeof lookup;
const log = pino({ level: 'silent' });

let server: JsonServer;
beforeAll(async () => {
  server = await startJsonServer(json({}, 200));
});
afterAll(() => server.close());

function sinkSettings(overrides: Partial<SinkSettings> = {}): SinkSettings {
  return {
    url: new URL('/sink?tenant=1', server.url),
    keys: () => KEYS,
    allowPrivate: false,
    types: [],
    hirers: [],
    timeoutMs: 2_000,
    concurrency: 8,
    userAgent: 'test/1',
    ...overrides,
  };
}

describe.each(TEST_DATABASES)('delivery from $name', ({ open }) => {
  let test_: TestDatabase;
  let database: Database;
  let clock: number;
  let sinks: EventSink[] = [];
  let counted: Metrics;
  const now = (): number => clock;

  beforeAll(async () => {
    test_ = await open();
    database = test_.database;
  });
  afterAll(() => test_.drop());
  beforeEach(async () => {
    clock = Date.now();
    await database.query('DELETE FROM events');
    (server.received as unknown[]).length = 0;
    server.answer = json({}, 200);
  });
  afterEach(async () => {
    await Promise.all(sinks.map((sink) => sink.close()));
    sinks = [];
  });

  function openSink(overrides: Partial<SinkSettings> = {}, resolver?: typeof lookup): EventSink {
    const sink = new EventSink(sinkSettings(overrides), now, resolver);
    sinks.push(sink);
    return sink;
  }

  function openDeliverer(
    targets: readonly EventTarget[],
    over = database,
    EVENT_SINK_CONCURRENCY = 8,
  ): EventDeliverer {
    counted = new Metrics();
    return new EventDeliverer(
      { EVENT_SINK_CONCURRENCY, EVENT_SINK_RETRY_SECONDS: SCHEDULE_SECONDS },
      over,
      targets,
      new EventNotices(over),
      new WebhookMetrics(counted, new EventCounts(over)),
      log,
      now,
      () => 0.5,
    );
  }

  const put = (targets: readonly EventTarget[], ...events: SentEvent[]) => putAs('signed', targets, events);

  async function putAs(
    trust: EventTrust,
    targets: readonly EventTarget[],
    events: SentEvent[],
  ): Promise<void> {
    const policy = {
      isWanted: (event: EventRecord | { type: string; hirerId: string | null }) =>
        targets.some((target) => target.wants(event)),
      redeliverAfterMs: 300_000,
    };
    const inbox = new EventInbox(database, policy, new EventNotices(database), now);
    const received = events.map((event) => ({
      ...readWebhookEvent(event),
      trust,
      subscriptionId: null,
      requestId: null,
    }));
    await inbox.put(received);
  }

  async function run(deliverer: EventDeliverer): Promise<void> {
    await deliverer.takeDue();
    await deliverer.idle();
  }

  const records = async () => (await new EventRecords(database, now).list({})).items;
  const states = async () => (await records()).map(({ state }) => state);

  test('sends the sink one event per request, which the official library verifies with either secret', async () => {
    const targets = [openSink()];
    const events = [anEvent({ note: 'ü "quoted"' }), anEvent({ createDateTime: undefined })];
    await put(targets, ...events);
    await run(openDeliverer(targets));
    expect(server.received).toHaveLength(2);
    for (const { headers, body, method, url } of server.received) {
      expect([method, url, headers['content-type']]).toEqual(['POST', '/sink?tenant=1', 'application/json']);
      for (const key of KEYS) {
        const event = new Webhook(`whsec_${key.toString('base64')}`).verify(
          body,
          headers as Record<string, string>,
        );
        const sent = events.find(({ id }) => id === headers['webhook-id'])!;
        expect(event).toEqual({
          type: sent['type'],
          timestamp: sent['createDateTime'] ?? new Date(clock).toISOString(),
          data: sent,
        });
      }
      expect(headers['webhook-repeat']).toBeUndefined();
    }
    expect(await states()).toEqual(['delivered', 'delivered']);
    expect((await counted.expose()).text).toContain('bff_webhook_deliveries_total{outcome="delivered"} 2');
  });

  test('of an unsigned event is flagged, and the signed event that replaces it has another webhook-id', async () => {
    const targets = [openSink()];
    const event = anEvent();
    await putAs('unsigned', targets, [{ ...event, note: 'forged' }]);
    await run(openDeliverer(targets));
    await put(targets, event);
    await run(openDeliverer(targets));
    const [forged, signed] = server.received;
    expect(server.received).toHaveLength(2);
    expect(forged!.headers['webhook-unsigned']).toBe('true');
    expect(forged!.headers['webhook-id']).not.toBe(event['id']);
    expect(signed!.headers['webhook-id']).toBe(event['id']);
    for (const flag of ['webhook-unsigned', 'webhook-repeat']) expect(signed!.headers[flag]).toBeUndefined();
    expect(JSON.parse(signed!.body).data).toEqual(event);
  });

  test('of a late repeat has the same id and body, and a flag', async () => {
    const targets = [openSink()];
    const event = anEvent();
    await put(targets, event);
    await run(openDeliverer(targets));
    clock += 300_001;
    await put(targets, event);
    await run(openDeliverer(targets));
    const [first, second] = server.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-repeat']).toBe('true');
  });

  test('does not happen for events that no target wants', async () => {
    const targets = [openSink({ types: ['PositionProfilePosted'], hirers: ['h1'] })];
    const type = 'PositionProfilePosted';
    await put(
      targets,
      anEvent({ type, hirerId: 'h1' }),
      anEvent({ type, hirerId: 'h2' }),
      anEvent({ type, hirerId: undefined }),
      anEvent({ hirerId: 'h1' }),
    );
    await run(openDeliverer(targets));
    expect((await states()).sort()).toEqual(['delivered', 'stored', 'stored', 'stored']);
    expect(server.received).toHaveLength(1);
  });

  test('that fails is retried on schedule, and dead after the last attempt', async () => {
    const targets = [openSink()];
    server.answer = json({ secret: 'detail' }, 500);
    await put(targets, anEvent());
    const deliverer = openDeliverer(targets);
    await run(deliverer);
    for (const pauseMs of SCHEDULE_SECONDS.map((seconds) => seconds * 1_000)) {
      expect((await records())[0]).toMatchObject({ state: 'failed', lastFailure: 'sink: status 500' });
      clock += pauseMs - 1;
      const before = server.received.length;
      await run(deliverer);
      expect(server.received).toHaveLength(before);
      clock += 2;
      await run(deliverer);
      expect(server.received).toHaveLength(before + 1);
    }
    expect((await records())[0]).toMatchObject({ state: 'dead', attempts: SCHEDULE_SECONDS.length + 1 });
    expect((await counted.expose()).text).toContain('bff_webhook_deliveries_total{outcome="dead"} 1');
    expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test.each([
    [200, 'delivered'],
    [201, 'delivered'],
    [202, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'failed'],
    [301, 'failed'],
    [302, 'failed'],
    [307, 'failed'],
    [308, 'failed'],
    [400, 'failed'],
    [401, 'failed'],
    [403, 'failed'],
    [404, 'failed'],
    [408, 'failed'],
    [409, 'failed'],
    [410, 'dead'],
    [413, 'failed'],
    [422, 'failed'],
    [425, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [502, 'failed'],
    [503, 'failed'],
    [504, 'failed'],
  ])('that is answered %i is %s', async (status, state) => {
    const targets = [openSink()];
    let requests = 0;
    server.answer = (_received, response) => {
      requests += 1;
      response.writeHead(status, { location: 'http://169.254.169.254/' }).end();
    };
    await put(targets, anEvent());
    await run(openDeliverer(targets));
    expect([await states(), requests]).toEqual([[state], 1]);
  });

  test('pauses for every event while the sink asks for it', async () => {
    const targets = [openSink()];
    server.answer = (_received, response) => response.writeHead(429, { 'retry-after': '90' }).end();
    await put(targets, anEvent());
    const deliverer = openDeliverer(targets);
    await run(deliverer);
    server.answer = json({}, 200);
    await put(targets, anEvent());
    clock += 89_000;
    await run(deliverer);
    expect(server.received).toHaveLength(1);
    clock += 1_001;
    await run(deliverer);
    expect(server.received).toHaveLength(3);
    expect(await states()).toEqual(['delivered', 'delivered']);
  });

  test.each([
    ['hangs', () => undefined, 'sink: timeout'],
    [
      'breaks the connection',
      (_r: unknown, response: { destroy(): void }) => response.destroy(),
      'sink: connection',
    ],
  ])('to a sink that %s is retried', async (_name, answer, reason) => {
    const targets = [openSink({ timeoutMs: 60 })];
    server.answer = answer;
    await put(targets, anEvent());
    await run(openDeliverer(targets));
    expect((await records())[0]).toMatchObject({ state: 'failed', lastFailure: reason });
  });

  test.each(['https://10.1.2.3/', 'https://[::2]/', 'https://169.254.169.254/', 'https://inside.example/'])(
    'to %s makes no connection',
    async (address) => {
      const targets = [openSink({ url: new URL(address) }, resolveToLoopback)];
      await put(targets, anEvent());
      await run(openDeliverer(targets));
      expect((await records())[0]).toMatchObject({
        state: 'failed',
        lastFailure: 'the sink has an address that is not allowed',
      });
    },
  );

  test('of one event to several handlers is retried only for those that failed', async () => {
    const calls: string[] = [];
    let broken = true;
    const handlers: EventHandler[] = [
      { name: 'good', handle: async ({ id }) => void calls.push(`good ${id}`) },
      {
        name: 'bad',
        types: ['CandidateApplicationCreated'],
        handle: async ({ id }) => {
          calls.push(`bad ${id}`);
          if (broken) throw new Error('not now');
        },
      },
    ];
    const targets = [openSink(), ...handlers.map((handler) => new HandlerTarget(handler, log))];
    await put(targets, anEvent({ id: 'e1' }), anEvent({ id: 'e2', type: 'PositionProfilePosted' }));
    const deliverer = openDeliverer(targets);
    await run(deliverer);
    broken = false;
    clock += 6_000;
    await run(deliverer);
    expect(calls.sort()).toEqual(['bad e1', 'bad e1', 'good e1', 'good e2']);
    expect(server.received).toHaveLength(2);
    expect(await states()).toEqual(['delivered', 'delivered']);
  });

  test('does not ask a target again that refused the event for good, while another target fails', async () => {
    let refusals = 0;
    const refusing: EventHandler = {
      name: 'refusing',
      handle: () => {
        refusals += 1;
        return Promise.reject(new EventRefused('never'));
      },
    };
    const targets = [openSink(), new HandlerTarget(refusing, log)];
    server.answer = json({}, 500);
    await put(targets, anEvent({ id: 'e1' }));
    const deliverer = openDeliverer(targets);
    await run(deliverer);
    expect((await records())[0]).toMatchObject({ state: 'failed' });
    server.answer = json({}, 200);
    clock += 6_000;
    await run(deliverer);
    expect([refusals, server.received.length]).toEqual([1, 2]);
    expect((await records())[0]).toMatchObject({ state: 'dead', attempts: 2 });
    expect((await records())[0]!.lastFailure).toContain('handler:refusing');
    await new EventRecords(database, now).redeliver('e1');
    await run(deliverer);
    expect([refusals, server.received.length]).toEqual([2, 3]);
  });

  test('to a handler that refuses the event ends at once, and to one that hangs is retried', async () => {
    const refusing = { name: 'refusing', handle: () => Promise.reject(new EventRefused('never')) };
    const hanging = { name: 'hanging', handle: () => new Promise<void>(() => undefined) };
    for (const [handler, state] of [
      [refusing, 'dead'],
      [hanging, 'failed'],
    ] as const) {
      const targets = [new HandlerTarget(handler, log, 10)];
      await put(targets, anEvent());
      await run(openDeliverer(targets));
      expect((await states())[0]).toBe(state);
    }
  });

  test('under way at a stop is cancelled, and due again at once without losing an attempt', async () => {
    const calls: string[] = [];
    const quick: EventHandler = { name: 'quick', handle: async ({ id }) => void calls.push(id) };
    const deaf: EventHandler = { name: 'deaf', handle: () => new Promise(() => undefined) };
    const targets = [openSink(), new HandlerTarget(quick, log), new HandlerTarget(deaf, log)];
    let closed = 0;
    server.answer = (_received, response) => void response.on('close', () => (closed += 1));
    await put(targets, anEvent({ id: 'e1' }));
    const deliverer = openDeliverer(targets);
    deliverer.onApplicationBootstrap();
    await until(() => server.received.length === 1 && calls.length === 1);
    await deliverer.onApplicationShutdown();
    await until(() => closed === 1);
    expect((await records())[0]).toMatchObject({ state: 'pending', attempts: 0, lastFailure: null });
    const [taken] = await new DeliveryQueue(database, LEASE_MS, now).take(1);
    expect(taken).toMatchObject({ done: ['handler:quick'], attempts: 1 });
  });

  /** Runs until nothing is due at this time. */
  async function runAll(deliverer: EventDeliverer): Promise<void> {
    let before = -1;
    while (before < server.received.length) {
      before = server.received.length;
      await run(deliverer);
    }
  }
  const deliveredIds = () => server.received.map(({ headers }) => headers['webhook-id']);

  describe('after the sink has answered again', () => {
    const OLD = Array.from({ length: 12 }, (_, index) => `old-${String(index).padStart(2, '0')}`);

    /** Stores events one after another, and lets each fail three times. */
    async function failThrice(targets: readonly EventTarget[], deliverer: EventDeliverer): Promise<void> {
      server.answer = json({}, 500);
      for (const id of OLD) {
        await put(targets, anEvent({ id }));
        clock += 1;
      }
      for (const pauseMs of [0, 7_000, 40_000]) {
        clock += pauseMs;
        await runAll(deliverer);
      }
      expect((await records()).map(({ attempts, state }) => `${state} ${attempts}`)).toEqual(
        OLD.map(() => 'failed 3'),
      );
      (server.received as unknown[]).length = 0;
      server.answer = json({}, 200);
    }

    test('what failed is due at once, the oldest first', async () => {
      const targets = [openSink()];
      const deliverer = openDeliverer(targets, database, 1);
      await failThrice(targets, deliverer);
      await run(deliverer);
      expect(deliveredIds()).toEqual([]); // nobody knows yet
      await put(targets, anEvent({ id: 'new' }));
      await runAll(deliverer);
      expect(deliveredIds()).toEqual(['new', ...OLD]);
      expect(new Set(await states())).toEqual(new Set(['delivered']));
    });

    test('all of them are, however many wait', async () => {
      const targets = [openSink()];
      const many = Array.from({ length: 700 }, () => anEvent());
      await put(targets, ...many);
      await database.query(`UPDATE events SET state = 'failed', attempts = 1, due_at = $1, retry_at = $1`, [
        clock + 3_600_000,
      ]);
      await put(targets, anEvent({ id: 'new' }));
      await run(openDeliverer(targets));
      const due = await database.query('SELECT id FROM events WHERE due_at <= $1', [clock]);
      expect(due).toHaveLength(many.length);
    });

    test('so it is when an operator redelivers one of them', async () => {
      const targets = [openSink()];
      const deliverer = openDeliverer(targets, database, 1);
      await failThrice(targets, deliverer);
      await new EventRecords(database, now).redeliver('old-07');
      await runAll(deliverer);
      expect(deliveredIds()).toEqual(['old-07', ...OLD.filter((id) => id !== 'old-07')]);
      expect(new Set(await states())).toEqual(new Set(['delivered']));
    });

    test('so it is when the service was started meanwhile', async () => {
      const targets = [openSink()];
      await failThrice(targets, openDeliverer(targets));
      await put(targets, anEvent({ id: 'new' }));
      await runAll(openDeliverer(targets));
      expect(deliveredIds().sort()).toEqual(['new', ...OLD].sort());
    });

    test('two replicas that both see it deliver each event once', async () => {
      const targets = [openSink()];
      await failThrice(targets, openDeliverer(targets));
      await put(targets, ...Array.from({ length: 4 }, (_, index) => anEvent({ id: `new-${index}` })));
      const replicas = [openDeliverer(targets), openDeliverer(targets, test_.replica())];
      for (const replica of replicas) replica.onApplicationBootstrap();
      await until(async () => (await states()).every((state) => state === 'delivered'));
      await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
      expect(deliveredIds().sort()).toEqual([...OLD, 'new-0', 'new-1', 'new-2', 'new-3'].sort());
    });

    test('an event under way is left alone, and so are those that wait for another target', async () => {
      const [first, second] = [openSink(), openSink()];
      let handled = 0;
      const failing = { name: 'failing', handle: () => Promise.reject(new Error(`${(handled += 1)}`)) };
      const targets = [first, new HandlerTarget(failing, log)];
      await put(targets, anEvent({ id: 'waits-for-the-handler' }));
      await run(openDeliverer(targets));
      server.answer = () => undefined; // hangs
      await put([second], anEvent({ id: 'under-way', type: 'X' }));
      const [taken] = await new DeliveryQueue(database, LEASE_MS, now).take(1);
      const queue = new DeliveryQueue(database, LEASE_MS, now);
      await queue.retry(taken!, { reason: 'x', done: [], refused: [] }, 1_000);
      clock += 1_001;
      expect(await queue.take(1)).toMatchObject([{ id: 'under-way', attempts: 2 }]);
      expect(await queue.bringForward('sink', 100)).toBe(0);
      expect(await queue.take(10)).toEqual([]);
      expect(handled).toBe(1);
    });

    test('one that always fails is dead in the end, after few more attempts than its schedule has', async () => {
      const targets = [openSink()];
      const deliverer = openDeliverer(targets);
      const poison = `"id":"poison"`;
      server.answer = (received, response) =>
        void response.writeHead(received.body.includes(poison) ? 500 : 200).end();
      await put(targets, anEvent({ id: 'poison' }));
      for (let round = 0; round < 200; round += 1) {
        await put(targets, anEvent());
        await run(deliverer);
        clock += 10_000;
      }
      const [dead] = (await new EventRecords(database, now).list({ id: 'poison' })).items;
      expect(dead).toMatchObject({ state: 'dead' });
      expect(dead!.attempts).toBeLessThanOrEqual(5 + 5 + SCHEDULE_SECONDS.length + 1);
    });
  });

  test('is shared by replicas, each of which delivers different events', async () => {
    const targets = [openSink()];
    await put(targets, ...Array.from({ length: 60 }, () => anEvent()));
    const replicas = [openDeliverer(targets), openDeliverer(targets, test_.replica())];
    for (const replica of replicas) replica.onApplicationBootstrap();
    await until(async () => (await states()).every((state) => state === 'delivered'));
    await Promise.all(replicas.map((replica) => replica.onApplicationShutdown()));
    const ids = server.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
  });
});
