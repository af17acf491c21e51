import { StoreError } from '../../src/errors/store-error.js';
import type { Database } from '../../src/storage/database.js';
import type { EventRecord } from '../../src/webhooks/store/event-records.js';
import { NEWER_SDL, PUBLIC_SDL, PublicUpstream, THIN_SDL, webhookFormOf } from './public-upstream.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { spoilCursor } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { useReconciliation } from './reconciliation-setup.js';

const HOUR_MS = 3_600_000;
const HIRERS = ['hirer-1', 'hirer-2'];
const TYPES = [
  'CandidateApplicationCreated',
  'PositionProfilePosted',
  'HirerRelationshipChanged',
  'PositionProfileClosed',
];
/** A schema against which the full query is not valid. */
const WITHOUT_HIRERS = PUBLIC_SDL.replaceAll('positionOrganizations', 'positionOwners');

describe.each(testDatabases())('reconciliation with the public schema, into $name', ({ open }) => {
  let upstream: PublicUpstream;
  const start = async (): Promise<Stack> => {
    upstream = await PublicUpstream.start();
    return startStack(upstream.settings);
  };
  const store = useReconciliation(open, start, 'seekAnz');
  beforeEach(() => upstream.reset());

  const emit = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      upstream.emit(TYPES[index % TYPES.length]!, HIRERS[index % 2]!, store.now());
    }
  };
  const numberOf = ({ id }: EventRecord): number => Number(id.split(':').pop());
  const stored = async (): Promise<readonly EventRecord[]> =>
    (await store.listAll()).toSorted((a, b) => numberOf(a) - numberOf(b));
  const payloads = async (): Promise<unknown[]> => (await stored()).map(({ payload }) => payload);
  const wholeEvents = (): unknown[] => upstream.events.map(webhookFormOf);
  const check = async () => (await store.health.readiness()).checks['reconciliation']!;

  test('reads the content and hirer of every event with the first query that it sends', async () => {
    emit(250);
    const reconciliation = store.begin();
    expect(await reconciliation.run()).toBe('completed');
    expect(await payloads()).toEqual(wholeEvents());
    expect((await stored()).map(({ hirerId }) => hirerId)).toEqual(upstream.events.map((one) => one.hirerId));
    expect(new Set(upstream.operations).size).toBe(3); // the first page, a next one, what is read again
    expect(await check()).toEqual({ state: 'up' });
  });

  test.each([
    ['that lacks a member', WITHOUT_HIRERS],
    ['that has no content', THIN_SDL],
  ])('falls back to the plain query for a schema %s, and says why', async (_what, sdl) => {
    upstream.serve(sdl);
    upstream.emit('PositionProfilePosted', HIRERS[0]!);
    const reconciliation = store.begin();
    expect(await reconciliation.run()).toBe('completed');
    const [event] = await stored();
    const { id, type, createDateTime } = webhookFormOf(upstream.events[0]!) as Record<string, unknown>;
    expect(event!.payload).toEqual({ id, type, createDateTime });
    expect(event!.hirerId).toBeNull();
    expect(await check()).toMatchObject({
      state: 'degraded',
      reason: expect.stringContaining('no content'),
    });
    expect(store.log).toMatch(/"level":40.*GRAPHQL_VALIDATION_FAILED: Cannot query field/);
  });

  test('remembers what the upstream accepts for an hour', async () => {
    upstream.serve(THIN_SDL);
    emit(25);
    const reconciliation = store.begin();
    await reconciliation.run(true);
    const refused = upstream.operations.length;
    upstream.serve(PUBLIC_SDL);
    store.offsetMs += HOUR_MS - 60_000;
    await reconciliation.run(true);
    expect(upstream.operations.slice(refused).join()).not.toContain('... on');
    store.offsetMs += 120_000;
    emit(25);
    expect(await reconciliation.run(true)).toBe('completed');
    expect((await payloads()).slice(25)).toEqual(wholeEvents().slice(25));
    expect(await check()).toEqual({ state: 'up' });
  });

  test('keeps an event whose hirer cannot be known; the hirer of one that can be known again is completed', async () => {
    const purchased = upstream.emit('CandidateProfilePurchased', HIRERS[0]!);
    const posted = upstream.emit('PositionProfilePosted', HIRERS[0]!);
    const other = upstream.emit('PositionProfilePosted', HIRERS[1]!);
    upstream.unrelated.add(HIRERS[0]!);
    const reconciliation = store.begin();
    expect(await reconciliation.run(true)).toBe('completed');
    expect((await stored()).map(({ hirerId, payload }) => [hirerId, payload])).toEqual([
      [null, { ...webhookFormOf(purchased), hirerId: undefined }],
      [null, { ...webhookFormOf(posted), hirerId: undefined }],
      [HIRERS[1], webhookFormOf(other)],
    ]);
    expect((await check()).state).toBe('up');
    upstream.unrelated.clear();
    await reconciliation.run(true);
    expect((await stored()).map(({ hirerId }) => hirerId)).toEqual([null, HIRERS[0], HIRERS[1]]);
  });

  test('leaves the hirer open if the upstream names several', async () => {
    upstream.emit('PositionProfilePosted', HIRERS[0]!);
    upstream.alsoOf = HIRERS[1];
    await store.begin().run(true);
    expect((await stored())[0]).toMatchObject({ hirerId: null });
  });

  test('reads types that only newer schemas have without their content, and everything else in full', async () => {
    upstream.serve(NEWER_SDL);
    upstream.emit('PositionNotPosted', HIRERS[0]!);
    upstream.emit('PositionProfilePosted', HIRERS[0]!);
    await store.begin().run(true);
    const [{ id, type, createDateTime }, posted] = upstream.events.map(webhookFormOf) as [
      ReturnType<typeof webhookFormOf>,
      object,
    ];
    expect(await payloads()).toEqual([{ id, type, createDateTime }, posted]);
    expect((await check()).state).toBe('up');
  });

  test('a store that fails is left to its condition: the log does not say so at every look', async () => {
    const query = (): Promise<never> => Promise.reject(new StoreError('database', 'gone'));
    const failing: Database = Object.assign(Object.create(store.database), { query });
    expect(await store.begin('earliest', failing).run(true)).toBe('failed');
    expect(store.log).not.toMatch(/"level":[45]0/);
  });

  test('a rejected cursor is distinguished from a rejected query', async () => {
    emit(3);
    const reconciliation = store.begin();
    await reconciliation.run(true);
    await spoilCursor(store.database);
    expect(await reconciliation.run(true)).toBe('failed');
    expect(await reconciliation.run(true)).toBe('completed');
  });
});
