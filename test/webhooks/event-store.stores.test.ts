import { setImmediate as nextTurn } from 'node:timers/promises';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import type { EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { EventBacklog } from '../../src/webhooks/store/event-backlog.js';
import { storedEvents } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import type { Database } from '../../src/storage/database.js';
import { DAY_MS, NO_SINKS, ONE_SINK, received, reportOf, useEventStore } from './event-store-setup.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { until } from '../support/until.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';

/** Statements that wait for what another transaction holds. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe.each(testDatabases())('events in $name', ({ isServer, open }) => {
  const store = useEventStore(open);

  test('an event is stored once, however many replicas receive it at the same time', async () => {
    const other = store.openInbox(store.replica());
    const both = [store.inbox, other];
    const puts = Array.from({ length: 50 }, (_, index) =>
      both[index % 2]!.put([received('a'), received(`b${index % 5}`), received('a')]),
    );
    const insertions = (await Promise.all(puts)).flat();
    expect(insertions.filter((one) => one === 'stored')).toHaveLength(6);
    expect((await store.list()).map(({ id, repeats }) => [id, repeats]).sort()).toEqual([
      ['a', 99],
      ['b0', 9],
      ['b1', 9],
      ['b2', 9],
      ['b3', 9],
      ['b4', 9],
    ]);
  });

  test('sequence numbers follow the order of commits across replicas, so that a reader misses none', async () => {
    const other = store.openInbox(store.replica());
    const seen: number[] = [];
    let done = false;
    const reading = (async () => {
      for (let ended = false; !ended;) {
        ended = done;
        await nextTurn();
        const numbers = (await storedEvents(store.database)).map(({ sequence }) => sequence);
        const last = seen.at(-1) ?? 0;
        seen.push(...numbers.filter((number) => number > last));
      }
    })();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        [store.inbox, other].map((one, which) =>
          one.put([received(`o${round}-${which}-1`), received(`o${round}-${which}-2`)]),
        ),
      );
    }
    done = true;
    await reading;
    expect(seen).toHaveLength(80);
  });

  test.each([333, 1_000])(
    '%d new events of one webhook cost two statements, and are stored in order as they were sent',
    async (count) => {
      const payload = `{"text":"\\u0000 \\" \\\\ é \\ud800 😀","number":1.0}`;
      const own = { payload, type: `"\\ é`, hirerId: null };
      const events = [...Array(count).keys()].map((index) => received(`n${index}`, own));
      expect((await store.insertCounting(events)).statements).toBe(2);
      const rest = { payload, dueAt: store.clock, received: 1, state: 'pending' };
      expect(await storedEvents(store.database)).toMatchObject(events.map(({ id }) => ({ id, ...rest })));
    },
  );

  test('repeats in one webhook cost few statements, however many they are, and each is counted', async () => {
    const events = [...Array(200).keys()].map((index) => received(`m${index}`));
    await store.inbox.put(events);
    store.clock += 1;
    const webhook = [1, 2, 3].flatMap(() => events.map((event) => ({ ...event })));
    const { insertions, statements } = await store.insertCounting(webhook);
    expect(insertions).toEqual(webhook.map(() => 'repeated'));
    expect(statements).toBeLessThan(40);
    const each = { received: 4, lastReceivedAt: store.clock };
    expect(await storedEvents(store.database)).toMatchObject(events.map(() => each));
  });

  test('so do those that come late, as when all that was sent is sent again, and each is delivered once more', async () => {
    const events = [...Array(200).keys()].map((index) => received(`m${index}`));
    await store.inbox.put([...events, received('u', { type: 'Unwanted' })]);
    await store.settle();
    store.clock += DAY_MS;
    const { insertions, statements } = await store.insertCounting([
      ...events,
      ...events.map((event) => ({ ...event })),
    ]);
    expect(insertions).toEqual([...events.map(() => 'redelivered'), ...events.map(() => 'repeated')]);
    expect(statements).toBeLessThan(40);
    expect((await store.settle()).map(({ id, reason }) => [id, reason])).toEqual(
      events.map(({ id }) => [id, 'repeat']),
    );
    expect(await storedEvents(store.database)).toMatchObject([
      ...events.map(() => ({ received: 3, lastReceivedAt: store.clock })),
      { id: 'u', received: 1 },
    ]);
  });

  test('a late repeat is only counted when no sink wants it, or before the first delivery', async () => {
    await store.inbox.put([received('waits'), received('u', { type: 'Unwanted' })]);
    store.clock += DAY_MS;
    expect(await store.inbox.put([received('waits'), received('u', { type: 'Unwanted' })])).toEqual([
      'repeated',
      'repeated',
    ]);
    expect((await store.list()).map(({ id, state }) => [id, state]).sort()).toEqual([
      ['u', 'stored'],
      ['waits', 'pending'],
    ]);
  });

  test('metrics report the backlog and the age of the oldest pending event', async () => {
    const metrics = new Metrics();
    new EventBacklog(store.database, ONE_SINK, metrics, new Conditions());
    const backlog = async () =>
      (await metrics.registry.metrics()).match(/^bff_webhook_(backlog|oldest).*$/gm);
    expect(await backlog()).toContain('bff_webhook_oldest_pending_seconds 0');
    await store.inbox.put([received('a'), received('b'), received('c')]);
    const [a, b] = await store.queue().claim(2);
    await store.queue().report(a!, reportOf(a!, { state: 'failed', pauseMs: 1 }));
    await store.queue().report(b!, reportOf(b!, { state: 'dead' }));
    store.clock += 7_000;
    expect(await backlog()).toEqual([
      'bff_webhook_backlog{state="pending"} 1',
      'bff_webhook_backlog{state="failed"} 1',
      'bff_webhook_backlog{state="dead"} 1',
      'bff_webhook_oldest_pending_seconds 7',
    ]);
  });

  /** The conditions of a service with these sinks. */
  async function activeWith(sinks: EventSinks): Promise<string[]> {
    const conditions = new Conditions();
    new EventBacklog(store.database, sinks, new Metrics(), conditions);
    await conditions.look();
    return conditions.active().map(({ name }) => name);
  }

  test('what waits for a sink that is in the settings no more is no condition, whatever its name', async () => {
    await store.inbox.put([received('a')]);
    store.clock += DAY_MS;
    expect(await activeWith(ONE_SINK)).toEqual(['events-late']);
    expect(await activeWith(NO_SINKS)).toEqual([]);
  });

  test('a backlog that takes longer to read than a look or a scrape waits is known once it is read', async () => {
    await store.inbox.put([received('a')]);
    store.clock += DAY_MS;
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const readings = [first.promise, second.promise];
    const slow: Pick<Database, 'query'> = {
      query: async (...asked) => (await readings.shift(), store.database.query(...asked)),
    };
    const [conditions, metrics] = [new Conditions(), new Metrics()];
    new EventBacklog(slow as Database, ONE_SINK, metrics, conditions);
    await conditions.look();
    first.resolve();
    await nextTurn();
    await store.database.now(); // asked after the reading
    await conditions.look();
    expect(conditions.active().map(({ name }) => name)).toEqual(['events-late']);
    expect(await metrics.registry.metrics()).toContain('bff_webhook_oldest_pending_seconds 86400\n');
    second.resolve();
  });

  test('what was given up is a condition until its payload is deleted: nobody can redeliver it then', async () => {
    await store.inbox.put([received('a')]);
    await store.settle({ state: 'dead' });
    store.clock += 90 * DAY_MS;
    expect(await activeWith(ONE_SINK)).toEqual(['events-dead']);
    await new EventRetention(store.database, ONE_SINK).purgePayloads(store.clock - DAY_MS);
    expect(await activeWith(ONE_SINK)).toEqual([]);
  });

  test('an old event that comes again while another replica deletes old payloads keeps its own, and is delivered with it', async () => {
    await store.inbox.put([received('old')]);
    await store.settle();
    store.clock += 100 * DAY_MS;
    const retention = new EventRetention(store.replica(), ONE_SINK);
    let isOver = false;
    let purging: Promise<number> | undefined;
    await store.database.transaction(async (tx) => {
      await insertEvents(tx, [received('old')], ONE_SINK);
      purging = retention.purgePayloads(store.clock - 90 * DAY_MS).finally(() => (isOver = true));
      if (isServer) await until(async () => isOver || (await store.database.query(WAITING)).length > 0);
    });
    expect(await purging).toBe(0);
    expect(await store.settle()).toMatchObject([{ id: 'old', payload: received('old').payload }]);
  });

  test('a page of a stream ends with the event that reaches 256 Ki characters, and the next page continues after it', async () => {
    const payload = JSON.stringify({ padding: 'x'.repeat(100_000) });
    const sent = Array.from({ length: 7 }, (_, number) => `event-${number}`);
    for (const id of sent) await store.inbox.put([received(id, { payload })]);
    const events = new StreamedEvents(store.database);
    const pages: string[][] = [];
    let page = { place: 0, hasMore: true };
    while (page.hasMore) {
      const next = await events.after(page.place, ['hirer-1']);
      pages.push(next.events.map(({ id }) => id));
      page = next;
    }
    expect(pages).toEqual([sent.slice(0, 3), sent.slice(3, 6), sent.slice(6)]);
  });
});
