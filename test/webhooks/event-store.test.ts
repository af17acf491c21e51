import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Queryable, Row } from '../../src/storage/database.js';
import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { EventCounts } from '../../src/webhooks/store/event-counts.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventRecords, type EventFilter } from '../../src/webhooks/store/event-records.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { RelationshipChanges } from '../../src/webhooks/store/relationship-changes.js';
import type { ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const LEASE_MS = 30_000;
const WINDOW_MS = 300_000;
const DAY_MS = 86_400_000;

function received(id: string, members: Partial<ReceivedEvent> = {}): ReceivedEvent {
  return {
    id,
    trust: 'signed',
    type: 'PositionProfilePosted',
    hirerId: 'hirer-1',
    createDateTime: null,
    payload: JSON.stringify({ id }),
    subscriptionId: 'subscription-1',
    requestId: 'request-1',
    ...members,
  };
}

describe.each(TEST_DATABASES)('events in $name', ({ open }) => {
  let test_: TestDatabase;
  let database: Database;
  let clock: number;
  let inbox: EventInbox;
  let records: EventRecords;
  const now = (): number => clock;

  function openInbox(over: Database, redeliverAfterMs: number | undefined = WINDOW_MS): EventInbox {
    const policy = { isWanted: ({ type }: ReceivedEvent) => type !== 'Unwanted', redeliverAfterMs };
    return new EventInbox(over, policy, new EventNotices(over), now);
  }

  beforeAll(async () => {
    test_ = await open();
    database = test_.database;
  });
  afterAll(() => test_.drop());
  beforeEach(async () => {
    clock = 1_000 * DAY_MS;
    await database.query('DELETE FROM events');
    await database.query('DELETE FROM relationship_changes');
    inbox = openInbox(database);
    records = new EventRecords(database, now);
  });

  const queue = (): DeliveryQueue => new DeliveryQueue(database, LEASE_MS, now);
  const list = async () => (await records.list({})).items;

  /** The outcome for the events, and how many statements that took. */
  async function insertCounting(events: readonly ReceivedEvent[]) {
    let statements = 0;
    const policy = { isWanted: () => true, redeliverAfterMs: WINDOW_MS };
    const { insertions } = await database.transaction((tx) => {
      const counting: typeof tx = {
        ...tx,
        query: (sql, parameters) => {
          statements += 1;
          return tx.query(sql, parameters);
        },
      };
      return insertEvents(counting, events, policy, clock);
    });
    return { insertions, statements };
  }

  async function deliver(id: string): Promise<void> {
    const [taken] = await queue().take(1);
    expect(taken?.id).toBe(id);
    await queue().finish(taken!, 'delivered');
  }

  test('an event is stored once, however many replicas receive it at the same time', async () => {
    const other = openInbox(test_.replica());
    const both = [inbox, other];
    const puts = Array.from({ length: 50 }, (_, index) =>
      both[index % 2]!.put([received('a'), received(`b${index % 5}`), received('a')]),
    );
    const insertions = (await Promise.all(puts)).flat();
    expect(insertions.filter((one) => one === 'stored')).toHaveLength(6);
    expect((await list()).map(({ id, repeats }) => [id, repeats]).sort()).toEqual([
      ['a', 99],
      ['b0', 9],
      ['b1', 9],
      ['b2', 9],
      ['b3', 9],
      ['b4', 9],
    ]);
  });

  test('the events of a request are stored together or not at all', async () => {
    const events = [1, 2, 3, 4, 5].map((index) => received(`f${index}`));
    const refusing = new EventInbox(
      database,
      {
        isWanted: ({ id }) => {
          if (id === 'f6') throw new Error('forced');
          return true;
        },
        redeliverAfterMs: undefined,
      },
      new EventNotices(database),
      now,
    );
    await expect(refusing.put([...events, received('f6')])).rejects.toThrow('forced');
    expect(await list()).toEqual([]);
    await expect(refusing.put(events)).resolves.toHaveLength(5);
  });

  test('sequence numbers follow the order of commits across replicas, so that a reader misses none', async () => {
    const other = openInbox(test_.replica());
    const seen: number[] = [];
    let done = false;
    const reading = (async () => {
      for (let ended = false; !ended;) {
        ended = done;
        await nextTurn();
        const rows = await database.query<{ sequence: number }>(
          'SELECT sequence FROM events WHERE sequence > $1 ORDER BY sequence',
          [seen.at(-1) ?? 0],
        );
        seen.push(...rows.map(({ sequence }) => sequence));
      }
    })();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        [inbox, other].map((one, which) =>
          one.put([received(`o${round}-${which}-1`), received(`o${round}-${which}-2`)]),
        ),
      );
    }
    done = true;
    await reading;
    expect(seen).toHaveLength(80);
  });

  test('a repeat within the window is counted, a later one is delivered again under the same id, flagged', async () => {
    await inbox.put([received('r')]);
    await deliver('r');
    clock += WINDOW_MS;
    expect(await inbox.put([received('r')])).toEqual(['repeated']);
    expect((await list())[0]).toMatchObject({ state: 'delivered', repeats: 1 });
    clock += WINDOW_MS + 1;
    expect(await inbox.put([received('r')])).toEqual(['redelivered']);
    const [taken] = await queue().take(1);
    expect(taken).toMatchObject({ id: 'r', isRepeat: true, attempts: 1 });
  });

  test.each(['signed', 'unsigned'] as const)(
    'repeats in one %s webhook cost few statements, however many they are, and each is counted',
    async (trust) => {
      const events = [...Array(200).keys()].map((index) => received(`m${index}`, { trust }));
      await inbox.put(events);
      clock += 1;
      const webhook = [...events, ...events, ...events];
      const { insertions, statements } = await insertCounting(webhook);
      expect(insertions).toEqual(webhook.map(() => 'repeated'));
      expect(statements).toBeLessThan(40);
      const stored = await database.query<{ received: number; last_received_at: number }>(
        'SELECT received, last_received_at FROM events',
      );
      expect(stored).toEqual(events.map(() => ({ received: 4, last_received_at: clock })));
    },
  );

  test('relationship changes in one webhook cost few statements, however many they are', async () => {
    const members = { type: 'HirerRelationshipChanged' };
    const events = [...Array(200).keys()].map((index) =>
      received(`n${index}`, { ...members, hirerId: `hirer-${index % 100}` }),
    );
    const { statements } = await insertCounting(events);
    expect(statements).toBeLessThan(40);
    const { items } = await new RelationshipChanges(database).list();
    expect(items).toHaveLength(100);
    expect(items).toContainEqual(
      expect.objectContaining({ hirerId: 'hirer-7', eventId: 'n107', changes: 2 }),
    );
  });

  test('a late repeat that a webhook holds twice is delivered again once', async () => {
    await inbox.put([received('t')]);
    await deliver('t');
    clock += WINDOW_MS + 1;
    expect(await inbox.put([received('t'), received('t')])).toEqual(['redelivered', 'repeated']);
    expect((await list())[0]).toMatchObject({ state: 'pending', repeats: 2 });
  });

  test('a late repeat is only counted when so configured, when no target wants it, or before the first delivery', async () => {
    await inbox.put([received('waits'), received('u', { type: 'Unwanted' })]);
    clock += DAY_MS;
    expect(await inbox.put([received('waits'), received('u', { type: 'Unwanted' })])).toEqual([
      'repeated',
      'repeated',
    ]);
    await deliver('waits');
    clock += DAY_MS;
    const counting = new EventInbox(
      database,
      { isWanted: () => true, redeliverAfterMs: undefined },
      new EventNotices(database),
      now,
    );
    expect(await counting.put([received('waits')])).toEqual(['repeated']);
    expect((await list()).map(({ id, state }) => [id, state]).sort()).toEqual([
      ['u', 'stored'],
      ['waits', 'delivered'],
    ]);
  });

  test('an event is taken once, and again when the lease has ended; then a report under the first lease changes nothing', async () => {
    await inbox.put(Array.from({ length: 20 }, (_, index) => received(`t${index}`)));
    const replica = new DeliveryQueue(test_.replica(), LEASE_MS, now);
    const [mine, theirs] = await Promise.all([queue().take(20), replica.take(20)]);
    expect(mine.length + theirs.length).toBe(20);
    const first = [...mine, ...theirs].find(({ id }) => id === 't7')!;
    expect(await queue().take(20)).toEqual([]);
    clock += LEASE_MS;
    const second = (await replica.take(20)).find(({ id }) => id === 't7')!;
    expect(second.attempts).toBe(2);
    expect(await queue().finish(first, 'delivered')).toBe(false);
    expect(await queue().retry(first, { reason: 'late', done: [], refused: [] }, 1)).toBe(false);
    expect(await queue().bury(first, { reason: 'late', done: [], refused: [] })).toBe(false);
    expect(await replica.finish(second, 'delivered')).toBe(true);
    expect((await list()).find(({ id }) => id === 't7')).toMatchObject({
      state: 'delivered',
      lastFailure: null,
    });
  });

  test('a failed event is due again after its pause, with the targets that accepted or refused it', async () => {
    await inbox.put([received('x')]);
    const [taken] = await queue().take(1);
    const progress = { done: ['handler:a'], refused: ['handler:b', 'sink'] };
    await queue().retry(taken!, { reason: 'sink: status 500', ...progress }, 5_000);
    expect((await list())[0]).toMatchObject({
      state: 'failed',
      attempts: 1,
      lastFailure: 'sink: status 500',
    });
    clock += 4_999;
    expect(await queue().take(1)).toEqual([]);
    clock += 1;
    expect((await queue().take(1))[0]).toMatchObject({ ...progress, attempts: 2 });
  });

  test('a released event is due at once, has lost no attempt, and keeps the targets that accepted it', async () => {
    await inbox.put([received('x')]);
    const [taken] = await queue().take(1);
    await queue().release(taken!, { done: ['handler:a'], refused: [] });
    expect((await queue().take(1))[0]).toMatchObject({ attempts: 1, lease: 2, done: ['handler:a'] });
  });

  test('a dead event stays dead until an operator redelivers it, starting with the first attempt', async () => {
    await inbox.put([received('d')]);
    const [taken] = await queue().take(1);
    await queue().bury(taken!, { reason: 'sink: status 410', done: ['handler:a'], refused: [] });
    clock += 1_000 * DAY_MS;
    expect(await queue().take(1)).toEqual([]);
    expect((await records.redeliver('d')).kind).toBe('queued');
    expect((await queue().take(1))[0]).toMatchObject({ attempts: 1, done: [] });
    expect(await records.redeliver('none')).toEqual({ kind: 'unknown' });
  });

  test('the payload of a finished event is deleted after its time; its id never is', async () => {
    await inbox.put([received('old'), received('waiting')]);
    await deliver('old');
    clock += 100 * DAY_MS;
    await records.purge(clock - 90 * DAY_MS);
    expect((await list()).map(({ id, payload }) => [id, payload])).toEqual([
      ['waiting', { id: 'waiting' }],
      ['old', null],
    ]);
    expect(await records.redeliver('old')).toEqual({ kind: 'purged' });
    expect(await inbox.put([received('old')])).toEqual(['redelivered']);
    expect((await list()).find(({ id }) => id === 'old')?.payload).toEqual({ id: 'old' });
  });

  test('lists filter and page, the latest first', async () => {
    await inbox.put(
      Array.from({ length: 250 }, (_, index) =>
        received(`p${String(index).padStart(3, '0')}`, {
          hirerId: `hirer-${index % 2}`,
          type: index % 5 === 0 ? 'Unwanted' : 'PositionProfilePosted',
        }),
      ),
    );
    const ids: string[] = [];
    for (let after: number | undefined, more = true; more;) {
      const page = await records.list({ hirer: 'hirer-1', state: 'pending', after });
      ids.push(...page.items.map(({ id }) => id));
      more = page.next !== null;
      after = Number(page.next);
    }
    expect(ids).toHaveLength(100);
    expect(ids[0]).toBe('p249');
    expect((await records.list({ type: 'Unwanted' })).items).toHaveLength(50);
  });

  test('a list without payloads does not read them', async () => {
    await inbox.put([received('a')]);
    const columns = async (filter: EventFilter): Promise<string[]> => {
      const read: Row[] = [];
      const query: Queryable['query'] = async (sql, parameters) => {
        const rows = await database.query(sql, parameters);
        read.push(...rows);
        return rows as never;
      };
      await new EventRecords(Object.assign(Object.create(database), { query }), now).list(filter);
      return Object.keys(read[0]!).sort();
    };
    const all = await columns({});
    expect(all).toContain('payload');
    expect(await columns({ withoutPayload: true })).toEqual(all.filter((name) => name !== 'payload'));
  });

  test('counts report the backlog and the age of the oldest pending event', async () => {
    const counts = new EventCounts(database, now);
    expect(await counts.oldestPendingSeconds()).toEqual([{ sink: 'default', seconds: 0 }]);
    await inbox.put([received('a'), received('b'), received('c')]);
    const [a, b] = await queue().take(2);
    await queue().retry(a!, { reason: '', done: [], refused: [] }, 1);
    await queue().bury(b!, { reason: '', done: [], refused: [] });
    clock += 7_000;
    expect(await counts.backlog()).toEqual([
      { sink: 'default', state: 'pending', count: 1 },
      { sink: 'default', state: 'failed', count: 1 },
      { sink: 'default', state: 'dead', count: 1 },
    ]);
    expect(await counts.oldestPendingSeconds()).toEqual([{ sink: 'default', seconds: 7 }]);
  });

  test('a changed relationship is listed once, with its latest event, until it is reviewed', async () => {
    const changes = new RelationshipChanges(database);
    const changed = (id: string): ReceivedEvent => received(id, { type: 'HirerRelationshipChanged' });
    await inbox.put([changed('h1'), changed('h1')]);
    clock += 5;
    await inbox.put([changed('h2'), received('h3')]);
    expect(await changes.list()).toEqual({
      items: [{ hirerId: 'hirer-1', eventId: 'h2', changes: 2, changedAt: new Date(clock).toISOString() }],
      next: null,
    });
    expect([await changes.settle('hirer-1'), await changes.settle('hirer-1')]).toEqual([true, false]);
  });
});
