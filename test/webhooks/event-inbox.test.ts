import type { Database } from '../../src/storage/database.js';
import { EventInbox } from '../../src/webhooks/store/insert/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import type { ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { until } from '../support/until.js';

const PUT_TIMEOUT_MS = 20;
const MEBIBYTE = 1_048_576;

/** An inbox on a store whose commits end with `commit`. */
function openInbox(commit: Promise<unknown>): EventInbox {
  const database = { transaction: () => commit } as unknown as Database;
  const policy = { isWanted: () => true, redeliverAfterMs: undefined };
  return new EventInbox(database, policy, new EventNotices(database), Date.now, PUT_TIMEOUT_MS);
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
