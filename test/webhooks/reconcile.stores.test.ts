import { EventCursors } from '../../src/webhooks/reconcile/event-cursors.js';
import { startStack } from '../support/start-stack.js';
import { storedIds } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { signed } from './event-store-setup.js';
import { POLL_SECONDS, useReconciliation } from './reconciliation-setup.js';

describe.each(testDatabases())('reconciliation into $name', ({ open }) => {
  const store = useReconciliation(open, startStack, 'seekAnzPublicTest');
  beforeEach(() => store.stack.playground.faults.clear());

  const upstreamIds = (): string[] => store.stack.playground.world.events.since(0).map(({ id }) => id);

  test('stores exactly what the webhook missed, in the form of a webhook, and nothing from before the start', async () => {
    const reconciliation = store.begin('now');
    expect(await reconciliation.run()).toBe('completed');
    expect(await storedIds(store.database)).toEqual([]);
    const { events } = store.stack.playground;
    const [received, missed] = [
      events.emit('PositionProfilePosted'),
      events.emit('CandidateApplicationCreated'),
    ];
    const { id, type, hirerId, createdMs, members } = received;
    const createDateTime = new Date(createdMs).toISOString();
    await store.inbox.put([signed({ id, type, createDateTime, hirerId, ...members })]);
    expect(await reconciliation.run()).toBe('idle');
    store.offsetMs += POLL_SECONDS * 1000;
    expect(await reconciliation.run()).toBe('completed');
    const items = await store.list();
    expect(items.map((item) => item.id)).toEqual([missed.id, received.id]);
    expect(items[0]).toMatchObject({
      type: 'CandidateApplicationCreated',
      hirerId: missed.hirerId,
      createDateTime: new Date(missed.createdMs).toISOString(),
      repeats: 0,
      payload: { id: missed.id, type: missed.type, hirerId: missed.hirerId, ...missed.members },
    });
    expect(items[1]!.repeats).toBe(0);
    await store.inbox.put([signed({ id: missed.id })]);
    expect((await store.list())[0]!.repeats).toBe(0);
  });

  test('from the earliest event reads every page and type, and continues after a failure between any two pages', async () => {
    const { events, faults } = store.stack.playground;
    const rare = ['HirerRelationshipChanged', 'PositionNotPosted', 'CandidateProfilePurchased'] as const;
    for (const type of rare) events.emit(type);
    for (let index = 0; index < 400; index += 1) events.emit('PositionProfilePosted');
    let stored = 0;
    for (let round = 0; round < 4; round += 1) {
      faults.add({ route: 'graphql', field: 'Query.events', code: 'INTERNAL_SERVER_ERROR', after: 1 });
      expect(await store.begin().run(true)).toBe('failed');
      const before = stored;
      stored = (await storedIds(store.database)).length;
      expect(stored).toBeGreaterThan(before);
      expect(stored % 100).toBe(0); // whole pages
    }
    faults.clear();
    expect(await store.begin().run(true)).toBe('completed');
    expect((await storedIds(store.database)).sort()).toEqual(upstreamIds().sort());
  });

  test('finds an event that was added to the stream late, behind the cursor', async () => {
    const reconciliation = store.begin('now');
    store.offsetMs = -20 * 60_000;
    await reconciliation.run();
    store.stack.playground.events.emit('PositionProfilePosted');
    store.offsetMs = 0;
    await reconciliation.run(true);
    const late = store.stack.playground.events.emit('PositionProfilePosted', { lateMs: 60_000 });
    store.offsetMs = (POLL_SECONDS + 13 * 60) * 1_000; // the next reading
    await reconciliation.run(true);
    expect(await storedIds(store.database)).toContain(late.id);
  });

  test('honours a rate limit, by header and by code', async () => {
    const reconciliation = store.begin('now');
    store.stack.playground.faults.add({ route: 'graphql', status: 429, headers: { 'retry-after': '120' } });
    expect(await reconciliation.run()).toBe('failed');
    store.offsetMs += 119_000;
    expect(await reconciliation.run()).toBe('idle');
    store.offsetMs += 2_000;
    store.stack.playground.faults.add({ route: 'graphql', field: 'Query.events', code: 'RATE_LIMITED' });
    expect(await reconciliation.run()).toBe('failed');
    store.offsetMs += 61_000;
    expect(await reconciliation.run()).toBe('completed');
  });

  test('renews a refused partner token once', async () => {
    store.stack.playground.faults.add({ route: 'graphql', field: 'Query.events', code: 'UNAUTHENTICATED' });
    expect(await store.begin('now').run()).toBe('completed');
  });

  test('asks for fewer members from an upstream that refuses the full query', async () => {
    store.stack.playground.faults.add({ route: 'graphql', field: 'Query.events', code: 'BAD_USER_INPUT' });
    const event = store.stack.playground.events.emit('PositionProfilePosted');
    expect(await store.begin().run()).toBe('completed');
    expect(await storedIds(store.database)).toContain(event.id);
  });

  test.each([
    ['an error status', { status: 500 }],
    ['no GraphQL at all', { body: 'hello' }],
    ['a broken connection', { reset: true }],
    ['a failure by its code', { field: 'Query.events', code: 'DOWNSTREAM_SERVICE_ERROR' }],
  ])('that meets %s is retried soon', async (_name, fault) => {
    const reconciliation = store.begin('now');
    store.stack.playground.faults.add({ route: 'graphql', ...fault });
    expect(await reconciliation.run()).toBe('failed');
    store.offsetMs += 30_001;
    expect(await reconciliation.run()).toBe('completed');
  });

  test('from now on brings nothing of before, also after the upstream refused the query', async () => {
    const { events, faults } = store.stack.playground;
    const before = events.emit('PositionProfilePosted');
    store.offsetMs += 20;
    const reconciliation = store.begin('now');
    await reconciliation.run();
    const after = events.emit('PositionProfilePosted', { lateMs: -40 });
    await reconciliation.run(true);
    for (const code of ['FORBIDDEN', 'FORBIDDEN']) {
      faults.add({ route: 'graphql', field: 'Query.events', code });
    }
    expect(await reconciliation.run(true)).toBe('failed');
    expect(await reconciliation.run(true)).toBe('completed');
    const ids = await storedIds(store.database);
    expect([ids.includes(before.id), ids.includes(after.id)]).toEqual([false, true]);
  });

  test('is done by one replica at a time', async () => {
    const replicas = [store.begin(), store.begin('earliest', store.replica())];
    const outcomes = await Promise.all(replicas.map((one) => one.run()));
    expect(outcomes.sort()).toEqual(['completed', 'idle']);
    expect((await storedIds(store.database)).sort()).toEqual(upstreamIds().sort());
  });

  test('a replica that was slower than its lease neither moves nor returns the cursor that another has taken', async () => {
    const cursors = new EventCursors(store.database, 'scheme');
    const take = () => cursors.take('earliest', true);
    const slow = (await take())!;
    store.offsetMs += 150_000;
    const held = (await take())!;
    await cursors.keep(store.database, { ...held, cursor: 'far' });
    await expect(cursors.keep(store.database, { ...slow, cursor: 'near' })).rejects.toThrow(
      'another replica',
    );
    await cursors.release(slow, 0, true);
    expect(await take()).toBeUndefined();
    await cursors.release(held, 0, true);
    expect(await take()).toMatchObject({ cursor: 'far' });
  });
});
