import type { Database, SqlValue, Transaction } from '../../src/storage/database.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { EventBacklog } from '../../src/webhooks/store/event-backlog.js';
import { DEFAULT_SINK, EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { EventRedelivery } from '../../src/webhooks/store/redeliver-events.js';
import type { ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { moveEvents, takePayloads } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { NO_SINKS, ONE_SINK, received, useEventStore } from './event-store-setup.js';

const HOUR_MS = 3_600_000;

describe.each(testDatabases())('a redelivery in $name', ({ open }) => {
  const events = useEventStore(open);
  const redelivery = (sinks = ONE_SINK): EventRedelivery => new EventRedelivery(events.database, sinks);

  function store(ids: readonly string[], members: Partial<ReceivedEvent> = {}, sinks = ONE_SINK) {
    return events.openInbox(events.database, sinks).put(ids.map((id) => received(id, members)));
  }
  /** Stores events, and buries them. */
  async function bury(ids: readonly string[], members?: Partial<ReceivedEvent>): Promise<void> {
    await store(ids, members);
    await events.settle({ state: 'dead' });
  }
  const named = (count: number, prefix = 'e'): string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}:${String(index).padStart(4, '0')}`);
  /** Delivers what is due, and returns the ids. */
  const deliverDue = async (): Promise<string[]> => (await events.settle()).map(({ id }) => id);

  test('takes exactly the events that match, and counts them before', async () => {
    await bury(named(3, 'old'));
    events.clock += HOUR_MS;
    await bury(named(3, 'match'));
    await bury(['other-type:1'], { type: 'PositionProfileClosed' });
    await bury(['other-hirer:1'], { hirerId: 'hirer-2' });
    events.clock += HOUR_MS;
    await bury(named(3, 'late'));
    const [since, until] = [events.clock - HOUR_MS, events.clock];
    const filter = { state: 'dead', type: 'PositionProfilePosted', hirer: 'hirer-1', since, until } as const;
    expect(await redelivery().count(filter)).toBe(3);
    expect(await redelivery().redeliverAll(filter, false)).toBe(3);
    events.clock += HOUR_MS;
    expect((await deliverDue()).sort()).toEqual(named(3, 'match'));
    expect(await redelivery().redeliverAll(filter, false)).toBe(0);
  });

  test('makes no event late that is not due yet, however many there are', async () => {
    await bury(named(201));
    await redelivery().redeliverAll({ state: 'dead' }, false);
    events.clock += 1_000;
    expect(await deliverDue()).toHaveLength(101);
    const metrics = new Metrics();
    new EventBacklog(events.database, ONE_SINK, metrics, new Conditions());
    const text = await metrics.registry.metrics();
    expect(text).toContain('bff_webhook_backlog{state="pending"} 100\n');
    expect(text).toContain('bff_webhook_oldest_pending_seconds 0\n');
  });

  test('queues each once, also where an event is delivered again before the next part is read', async () => {
    await store(named(499), { type: 'Unwanted' });
    await store(['wanted'], { type: 'Wanted' });
    await deliverDue();
    const sinks = new EventSinks([{ name: DEFAULT_SINK, types: ['Wanted'], hirers: [] }]);
    const delivered: string[] = [];
    const eager = Object.assign(Object.create(events.database) as Database, {
      transaction: async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
        const result = await events.database.transaction(work);
        delivered.push(...(await deliverDue()));
        return result;
      },
    });
    expect(await new EventRedelivery(eager, sinks).redeliverAll({ state: 'delivered' }, false)).toBe(1);
    events.clock += HOUR_MS;
    expect([...delivered, ...(await deliverDue())]).toEqual(['wanted']);
  });

  test('of many queues each once, due one after the other, so that new events pass between them', async () => {
    const many = named(1_200);
    await bury(many);
    expect(await redelivery().redeliverAll({ state: 'dead' }, false)).toBe(many.length);
    expect(await deliverDue()).toEqual(many.slice(0, 1));
    events.clock += 1_000;
    await store(['new']);
    expect(await deliverDue()).toEqual([...many.slice(1, 101), 'new']);
    events.clock += HOUR_MS;
    expect(await deliverDue()).toEqual(many.slice(101));
    expect(await deliverDue()).toEqual([]);
  });

  test('in whatever state queues each once, also where its state changes in between', async () => {
    await bury(named(2));
    const changing = Object.assign(Object.create(events.database) as Database, {
      query: async (sql: string, parameters: SqlValue[]) => {
        const rows = await events.database.query<{ sink?: string }>(sql, parameters);
        if (rows[0]?.sink === undefined || !parameters.includes('dead')) return rows;
        await redelivery().redeliverAll({ state: 'dead' }, false);
        events.clock += HOUR_MS;
        await deliverDue();
        return rows;
      },
    });
    const filter = { type: 'PositionProfilePosted' };
    expect(await new EventRedelivery(changing, ONE_SINK).redeliverAll(filter, false)).toBe(2);
    events.clock += HOUR_MS;
    expect(await deliverDue()).toEqual(named(2));
  });

  test('is not held up by what waits for a sink that was removed', async () => {
    const both = new EventSinks([DEFAULT_SINK, 'gone'].map((name) => ({ name, types: [], hirers: [] })));
    await store(named(600), {}, both);
    await deliverDue();
    expect(await redelivery().redeliverAll({ state: 'delivered' }, false)).toBe(600);
  });

  test('of many at several sinks queues each once for each sink that had it', async () => {
    const names = ['one', 'two', 'three'];
    const three = new EventSinks(names.map((name) => ({ name, types: [], hirers: [] })));
    const ids = named(400);
    await store(ids, {}, three);
    for (const name of names) await events.settle({}, events.queue(name));
    expect(await redelivery(three).count({ state: 'delivered' })).toBe(1_200);
    expect(await redelivery(three).redeliverAll({ state: 'delivered' }, false)).toBe(1_200);
    events.clock += HOUR_MS;
    for (const name of names) {
      expect((await events.settle({}, events.queue(name))).map(({ id }) => id)).toEqual(ids);
    }
  });

  test.each(['dead', 'stored'] as const)(
    'of %s events asks a few times, however many events came before them',
    async (state) => {
      if (state === 'dead') await bury(named(2));
      else await store(named(2), {}, NO_SINKS);
      await moveEvents(events.database, 50_000_000);
      let asked = 0;
      const counting: Pick<Database, 'query' | 'transaction'> = {
        query: (...args) => ((asked += 1), events.database.query(...args)),
        transaction: (work) => ((asked += 1), events.database.transaction(work)),
      };
      const redelivery = new EventRedelivery(
        Object.assign(Object.create(events.database), counting),
        ONE_SINK,
      );
      expect(await redelivery.redeliverAll({ state, sink: DEFAULT_SINK }, false)).toBe(2);
      expect(asked).toBeLessThan(10);
      events.clock += HOUR_MS;
      expect(await deliverDue()).toEqual(named(2));
    },
  );

  test('leaves out events without a payload', async () => {
    await bury(named(2));
    await takePayloads(events.database, 'e:0000');
    expect(await redelivery().redeliverAll({ state: 'dead' }, false)).toBe(1);
  });
});
