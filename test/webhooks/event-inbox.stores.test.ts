import type { Database } from '../../src/storage/database.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import type { ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { StoreError } from '../../src/errors/store-error.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';
import { NO_SINKS, OddSinks, received, signed, useEventStore } from './event-store-setup.js';

const PUT_TIMEOUT_MS = 20;
const MEBIBYTE = 1_048_576;

/** An inbox on a store whose commits end so. */
function openInbox(transaction: () => Promise<unknown>): EventInbox {
  const database = { transaction } as unknown as Database;
  return new EventInbox(database, NO_SINKS, new EventNotices(database), PUT_TIMEOUT_MS);
}

test('a store that does not answer in time counts as down', async () => {
  const inbox = openInbox(() => new Promise(() => undefined));
  await expect(inbox.put([received('x')])).rejects.toThrow('did not answer in time');
});

test('events are bounded in bytes until they are committed, after the end of their request as well', async () => {
  const commit = Promise.withResolvers<unknown>();
  const inbox = openInbox(() => commit.promise);
  const large = received('x', { payload: 'x'.repeat(8 * MEBIBYTE) }); // two bytes for each character
  for (let mebibytes = 0; mebibytes < 64; mebibytes += 16) {
    await expect(inbox.put([large])).rejects.toThrow('did not answer in time');
  }
  await expect(inbox.put([received('x')])).rejects.toThrow('too many webhooks wait for the store');
  commit.resolve({ insertions: ['stored'], news: [] });
  await until(async () => (await inbox.put([received('x')]).catch(() => [])).length === 1);
});

test('a store that is down is asked once for all requests that share a commit', async () => {
  let asked = 0;
  const inbox = openInbox(async () => {
    asked += 1;
    throw new StoreError('database', 'down');
  });
  const outcomes = await Promise.allSettled([inbox.put([received('x')]), inbox.put([received('x')])]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toBe(1);
});

/** A signed copy of the event `x`. */
const copy = (members: object): ReceivedEvent => signed({ id: 'x', hirerId: 'hirer-1', ...members });

describe.each(testDatabases())('in $name', ({ open }) => {
  const store = useEventStore(open);
  const payload = async () => (await store.list())[0]!.payload as Record<string, unknown>;

  test('the copies of one event hold no more than 1 MiB together: beyond it a copy is a repeat', async () => {
    const large = (name: string) => copy({ [name]: 'ü'.repeat(200_000) });
    expect(await store.insert(large('a'))).toEqual(['stored']);
    expect(await store.insert(large('b'), large('c'))).toEqual(['completed', 'repeated']);
    expect(await store.insert(large('d'))).toEqual(['repeated']);
    expect(await store.insert(copy({ small: 1 }))).toEqual(['completed']);
    expect(Object.keys(await payload())).toEqual(['id', 'hirerId', 'a', 'b', 'small']);
    expect(Buffer.byteLength(JSON.stringify(await payload()))).toBeLessThan(MEBIBYTE);
  });

  test('the copies of one event hold no more than 10,000 values together: beyond it a copy is a repeat', async () => {
    const many = (name: string) => copy({ [name]: Array(4_000).fill(0) });
    expect(await store.insert(many('a'), many('b'), many('c'))).toEqual(['stored', 'completed', 'repeated']);
    expect(await store.insert(copy({ d: { e: Array(900).fill({}) } }))).toEqual(['completed']);
    expect(Object.keys(await payload())).toEqual(['id', 'hirerId', 'a', 'b', 'd']);
  });

  test('of the copies in one call, the tenth is the last that is joined, so that a large event is not written without end', async () => {
    await store.insert(copy({ a: 'x'.repeat(50_000) }));
    const copies = Array.from({ length: 200 }, (_, index) => copy({ [`small${index}`]: index }));
    const { insertions, written } = await store.insertCounting(copies);
    expect(insertions).toEqual(copies.map((_, index) => (index < 10 ? 'completed' : 'repeated')));
    expect(written).toBeLessThan(1_000_000);
    expect(Object.keys(await payload())).toHaveLength(13);
  });

  test('a request of which an event cannot be stored fails alone, and as a whole', async () => {
    const inbox = store.openInbox(store.database, new OddSinks([]));
    const requests = [['a'], ['d', 'odd'], ['b', 'c']];
    const outcomes = await Promise.allSettled(
      requests.map((ids) => inbox.put(ids.map((id) => received(id, { type: id })))),
    );
    expect(outcomes).toMatchObject([
      { value: ['stored'] },
      { reason: new Error('odd') },
      { value: ['stored', 'stored'] },
    ]);
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
  });
});
