import type { Queryable, Row } from '../../src/storage/database.js';
import { readEventFilter } from '../../src/webhooks/event-requests.js';
import type { EventFilter } from '../../src/webhooks/store/records/event-page.js';
import { EventRecords } from '../../src/webhooks/store/records/event-records.js';
import { takePayloads } from '../support/stored.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { DAY_MS, received, useEventStore } from './event-store-setup.js';

describe.each(TEST_DATABASES)('lists of events in $name', ({ open }) => {
  const store = useEventStore(open);

  /** The ids on all pages of a list, as an operator reads them. */
  async function allPages(query: Record<string, string>): Promise<string[]> {
    const ids: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: Awaited<ReturnType<EventRecords['list']>> = await store
        .records()
        .list(readEventFilter({ ...query, ...(next !== '' && { after: next }) }));
      ids.push(...page.items.map(({ id }) => id));
      next = page.next;
    }
    return ids;
  }

  test('lists filter and page, the latest first', async () => {
    await store.inbox.put(
      Array.from({ length: 250 }, (_, index) =>
        received(`p${String(index).padStart(3, '0')}`, {
          hirerId: `hirer-${index % 2}`,
          type: index % 5 === 0 ? 'Unwanted' : 'PositionProfilePosted',
        }),
      ),
    );
    const ids = await allPages({ hirer: 'hirer-1', state: 'pending' });
    expect(ids).toHaveLength(100);
    expect(ids[0]).toBe('p249');
    expect((await store.records().list({ type: 'Unwanted' })).items).toHaveLength(50);
  });

  test('of a time, an event that is completed between two pages is still listed, once, among others of its millisecond', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `t${index}`);
    await store.inbox.put(ids.map((id) => received(id, { hirerId: null })));
    const query = { until: new Date(store.clock + 1).toISOString() };
    const first = await store.records().list(readEventFilter(query));
    store.clock += 1;
    await store.inbox.put(ids.map((id) => received(id)));
    const second = await store.records().list(readEventFilter({ ...query, after: first.next! }));
    expect([...first.items, ...second.items].map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test.each([{ until: '2100-01-01', after: '5' }, { after: '5-x' }, { after: '5-' }, { after: '5-\0' }])(
    'the next of another list is refused: %j',
    (query) => {
      expect(() => readEventFilter(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );

  test.each<[string, Record<string, string>, (index: number) => boolean]>([
    ['all', {}, () => true],
    ['those of a hirer', { hirer: 'hirer-1' }, (index) => index % 2 === 1],
    ['those of a type', { type: 'Unwanted' }, (index) => index % 5 === 0],
    ['those in a state', { state: 'stored' }, (index) => index % 5 === 0],
  ])('of a time, %s are listed once each, by their first receipt', async (_name, filter, isListed) => {
    const expected: string[] = [];
    for (let index = 0; index < 500; index += 1) {
      const id = `t${index}`;
      const [hirerId, type] = [`hirer-${index % 2}`, index % 5 === 0 ? 'Unwanted' : 'PositionProfilePosted'];
      await store.inbox.put([received(id, { hirerId, type })]);
      if (index >= 100 && index < 400 && isListed(index)) expected.unshift(id);
      if (index % 2 === 1) store.clock += 1_000;
    }
    await store.inbox.put([received('t150', { type: 'Unwanted', payload: '{"more":1}' })]); // completed: moves to the end
    await takePayloads(store.database, 't%3', true);
    const start = 1_000 * DAY_MS;
    const [since, until] = [50, 200].map((second) => new Date(start + second * 1_000).toISOString());
    const found = await allPages({ ...filter, since: since!, until: until! });
    expect([...found].sort()).toEqual([...expected].sort());
    const secondOf = (id: string): number => Math.floor(Number(id.slice(1)) / 2);
    expect(found.map(secondOf)).toEqual(expected.map(secondOf));
  });

  test('a list without payloads does not read them', async () => {
    await store.inbox.put([received('a')]);
    const columns = async (filter: EventFilter): Promise<string[]> => {
      const read: Row[] = [];
      const query: Queryable['query'] = async (sql, parameters) => {
        const rows = await store.database.query(sql, parameters);
        read.push(...rows);
        return rows as never;
      };
      await new EventRecords(Object.assign(Object.create(store.database), { query }), store.now).list(filter);
      return Object.keys(read[0]!).sort();
    };
    const all = await columns({});
    expect(all).toContain('payload');
    expect(await columns({ withoutPayload: true })).toEqual(all.filter((name) => name !== 'payload'));
  });
});
