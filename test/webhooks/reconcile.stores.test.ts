import { pino } from 'pino';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Health } from '../../src/telemetry/health.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import type { Database } from '../../src/storage/database.js';
import { PartnerTokens } from '../../src/token/partner-tokens.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventCursors } from '../../src/webhooks/reconcile/event-cursors.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import {
  EventReconciliation,
  type ReconciliationConfig,
} from '../../src/webhooks/reconcile/event-reconciliation.js';
import { EventRecords } from '../../src/webhooks/store/event-records.js';
import { readWebhookEvent } from '../../src/webhooks/webhook-event.js';
import { WebhookMetrics } from '../../src/webhooks/webhook-metrics.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { forgetEvents, storedIds } from '../support/stored.js';
import { testDatabases, withClock, type TestDatabase } from '../support/test-database.js';
import { NO_SINKS } from './event-store-setup.js';

const POLL_SECONDS = 300;

describe.each(testDatabases())('reconciliation into $name', ({ open }) => {
  let stack: Stack;
  let test_: TestDatabase;
  let database: Database;
  let offsetMs: number;
  const now = (): number => Date.now() + offsetMs;

  beforeAll(async () => {
    stack = await startStack({});
    test_ = await open();
    database = withClock(test_.database, now);
  });
  beforeEach(async () => {
    offsetMs = 0;
    stack.playground.faults.clear();
    await forgetEvents(database);
  });

  function openReconciliation(
    start: ReconciliationConfig['EVENTS_START'] = 'now',
    over = database,
  ): EventReconciliation {
    const { app } = stack.service;
    return new EventReconciliation(
      { EVENTS_SCHEME_ID: 'seekAnzPublicTest', EVENTS_POLL_SECONDS: POLL_SECONDS, EVENTS_START: start },
      over,
      app.get(Upstream, { strict: false }),
      app.get(PartnerTokens, { strict: false }),
      NO_SINKS,
      new EventNotices(over),
      new WebhookMetrics(new Metrics(), NO_SINKS),
      pino({ level: 'silent' }),
      new Conditions(),
      new Health(),
      now,
    );
  }

  const upstreamIds = (): string[] => stack.playground.world.events.since(0).map(({ id }) => id);

  test('stores exactly what the webhook missed, in the form of a webhook, and nothing from before the start', async () => {
    const reconciliation = openReconciliation();
    expect(await reconciliation.run()).toBe('completed');
    expect(await storedIds(database)).toEqual([]);
    const { events } = stack.playground;
    const [received, missed] = [
      events.emit('PositionProfilePosted'),
      events.emit('CandidateApplicationCreated'),
    ];
    const inbox = new EventInbox(database, NO_SINKS, new EventNotices(database));
    const event = readWebhookEvent({
      id: received.id,
      type: received.type,
      createDateTime: new Date(received.createdMs).toISOString(),
      hirerId: received.hirerId,
      ...received.members,
    });
    await inbox.put([{ ...event, trust: 'signed', subscriptionId: 's', requestId: 'r' }]);
    expect(await reconciliation.run()).toBe('idle');
    offsetMs += POLL_SECONDS * 1000;
    expect(await reconciliation.run()).toBe('completed');
    const { items } = await new EventRecords(database, NO_SINKS).list({});
    expect(items.map(({ id }) => id)).toEqual([missed.id, received.id]);
    expect(items[0]).toMatchObject({
      type: 'CandidateApplicationCreated',
      hirerId: missed.hirerId,
      createDateTime: new Date(missed.createdMs).toISOString(),
      repeats: 0,
      payload: { id: missed.id, type: missed.type, hirerId: missed.hirerId, ...missed.members },
    });
    expect(items[1]!.repeats).toBe(0);
    await inbox.put([
      { ...readWebhookEvent({ id: missed.id }), trust: 'signed', subscriptionId: 's', requestId: 'r' },
    ]);
    expect((await new EventRecords(database, NO_SINKS).list({})).items[0]!.repeats).toBe(0);
  });

  test('from the earliest event reads every page and type, and continues after a failure between any two pages', async () => {
    for (const type of [
      'HirerRelationshipChanged',
      'PositionNotPosted',
      'CandidateProfilePurchased',
    ] as const) {
      stack.playground.events.emit(type);
    }
    for (let index = 0; index < 400; index += 1) stack.playground.events.emit('PositionProfilePosted');
    let stored = 0;
    for (let round = 0; round < 4; round += 1) {
      stack.playground.faults.add({
        route: 'graphql',
        field: 'Query.events',
        code: 'INTERNAL_SERVER_ERROR',
        after: 1,
      });
      expect(await openReconciliation('earliest').run(true)).toBe('failed');
      const before = stored;
      stored = (await storedIds(database)).length;
      expect(stored).toBeGreaterThan(before);
      expect(stored % 100).toBe(0); // whole pages
    }
    stack.playground.faults.clear();
    expect(await openReconciliation('earliest').run(true)).toBe('completed');
    expect((await storedIds(database)).sort()).toEqual(upstreamIds().sort());
  });

  test('finds an event that was added to the stream late, behind the cursor', async () => {
    const reconciliation = openReconciliation();
    offsetMs = -20 * 60_000;
    await reconciliation.run();
    stack.playground.events.emit('PositionProfilePosted');
    offsetMs = 0;
    await reconciliation.run(true);
    const late = stack.playground.events.emit('PositionProfilePosted', { lateMs: 60_000 });
    await reconciliation.run(true);
    expect(await storedIds(database)).toContain(late.id);
  });

  test('honours a rate limit, by header and by code', async () => {
    const reconciliation = openReconciliation();
    stack.playground.faults.add({ route: 'graphql', status: 429, headers: { 'retry-after': '120' } });
    expect(await reconciliation.run()).toBe('failed');
    offsetMs += 119_000;
    expect(await reconciliation.run()).toBe('idle');
    offsetMs += 2_000;
    stack.playground.faults.add({ route: 'graphql', field: 'Query.events', code: 'RATE_LIMITED' });
    expect(await reconciliation.run()).toBe('failed');
    offsetMs += 61_000;
    expect(await reconciliation.run()).toBe('completed');
  });

  test('renews a refused partner token once', async () => {
    stack.playground.faults.add({ route: 'graphql', field: 'Query.events', code: 'UNAUTHENTICATED' });
    expect(await openReconciliation().run()).toBe('completed');
  });

  test('asks for fewer members from an upstream that refuses the full query', async () => {
    stack.playground.faults.add({ route: 'graphql', field: 'Query.events', code: 'BAD_USER_INPUT' });
    const event = stack.playground.events.emit('PositionProfilePosted');
    expect(await openReconciliation('earliest').run()).toBe('completed');
    expect(await storedIds(database)).toContain(event.id);
  });

  test.each([
    ['an error status', { status: 500 }],
    ['no GraphQL at all', { body: 'hello' }],
    ['a broken connection', { reset: true }],
    ['a failure by its code', { field: 'Query.events', code: 'DOWNSTREAM_SERVICE_ERROR' }],
  ])('that meets %s is retried soon', async (_name, fault) => {
    const reconciliation = openReconciliation();
    stack.playground.faults.add({ route: 'graphql', ...fault });
    expect(await reconciliation.run()).toBe('failed');
    offsetMs += 30_001;
    expect(await reconciliation.run()).toBe('completed');
  });

  test('is done by one replica at a time', async () => {
    const replicas = [
      openReconciliation('earliest'),
      openReconciliation('earliest', withClock(test_.replica(), now)),
    ];
    const outcomes = await Promise.all(replicas.map((one) => one.run()));
    expect(outcomes.sort()).toEqual(['completed', 'idle']);
    expect((await storedIds(database)).sort()).toEqual(upstreamIds().sort());
  });

  test('a replica that was slower than its lease neither moves nor returns the cursor that another has taken', async () => {
    const cursors = new EventCursors(database, 'scheme');
    const take = () => cursors.take('earliest', true);
    const slow = (await take())!;
    offsetMs += 60_000;
    const held = (await take())!;
    await cursors.keep(database, { ...held, cursor: 'far' });
    await expect(cursors.keep(database, { ...slow, cursor: 'near' })).rejects.toThrow('another replica');
    await cursors.release(slow, 0, true);
    expect(await take()).toBeUndefined();
    await cursors.release(held, 0, true);
    expect(await take()).toMatchObject({ cursor: 'far' });
  });
});
