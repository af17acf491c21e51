import type { Database } from '../../src/storage/database.js';
import { EventInbox } from '../../src/webhooks/store/insert/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import type { ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { StoreError } from '../../src/errors/store-error.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { NO_SINKS, OddSinks, received, useEventStore } from './event-store-setup.js';

const PUT_TIMEOUT_MS = 20;
const MEBIBYTE = 1_048_576;

/** An inbox on a store whose commits end with `commit`. */
function openInbox(commit: Promise<unknown>): EventInbox {
  return openInboxOn(() => commit);
}

function openInboxOn(transaction: () => Promise<unknown>): EventInbox {
  const database = { transaction } as unknown as Database;
  return new EventInbox(database, NO_SINKS, new EventNotices(database), PUT_TIMEOUT_MS);
}

function anEvent(payload = '{}'): ReceivedEvent {
  const origin = { trust: 'signed', subscriptionId: null, requestId: null } as const;
  return { id: 'x', type: 'PositionProfilePosted', hirerId: null, createDateTime: null, payload, ...origin };
}

test('a store that does not answer in time counts as down', async () => {
  const inbox = openInbox(new Promise(() => undefined));
  await expect(inbox.put([anEvent()])).rejects.toThrow('did not answer in time');
});

test('events are bounded in bytes until they are committed, after the end of their request as well', async () => {
  const commit = Promise.withResolvers<unknown>();
  const inbox = openInbox(commit.promise);
  const large = anEvent('x'.repeat(8 * MEBIBYTE)); // two bytes for each character
  for (let mebibytes = 0; mebibytes < 64; mebibytes += 16) {
    await expect(inbox.put([large])).rejects.toThrow('did not answer in time');
  }
  await expect(inbox.put([anEvent()])).rejects.toThrow('too many webhooks wait for the store');
  commit.resolve({ insertions: ['stored'], news: [] });
  await until(async () => (await inbox.put([anEvent()]).catch(() => [])).length === 1);
});

test('a store that is down is asked once for all requests that share a commit', async () => {
  let asked = 0;
  const inbox = openInboxOn(async () => {
    asked += 1;
    throw new StoreError('database', 'down');
  });
  const outcomes = await Promise.allSettled([inbox.put([anEvent()]), inbox.put([anEvent()])]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toBe(1);
});

describe.each(TEST_DATABASES)('on $name', ({ open }) => {
  const store = useEventStore(open);

  test('a request whose events cannot be stored fails alone', async () => {
    const inbox = store.openInbox(store.database, new OddSinks([]));
    const requests = [['a'], ['odd', 'd'], ['b', 'c']];
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
