import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { insertEvents } from '../../src/webhooks/store/insert/insert-events.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';
import { DAY_MS, ONE_SINK, received, useEventStore } from './event-store-setup.js';

/** Statements that wait for what another transaction holds. */
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describe.each(TEST_DATABASES)('while one replica deletes old payloads, in $name', ({ isServer, open }) => {
  const store = useEventStore(open);

  test('an old event that comes again at another keeps its own, and is delivered with it', async () => {
    await store.inbox.put([received('old')]);
    await store.deliver(1);
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
    expect(await store.deliver(1)).toMatchObject([{ id: 'old', payload: received('old').payload }]);
  });
});
