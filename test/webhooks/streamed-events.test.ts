import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { received, useEventStore } from './event-store-setup.js';

const HIRER = 'hirer';
const PAYLOAD_CHARACTERS = 100_000;

describe.each(TEST_DATABASES)('events read for streams, in $name', ({ open }) => {
  const store = useEventStore(open);

  test('a page ends with the event that reaches 256 Ki characters, and the next page continues after it', async () => {
    const payload = JSON.stringify({ padding: 'x'.repeat(PAYLOAD_CHARACTERS) });
    for (let number = 0; number < 7; number += 1) {
      await store.inbox.put([received(`event-${number}`, { hirerId: HIRER, payload })]);
    }
    const events = new StreamedEvents(store.database);
    const pages: number[] = [];
    const ids: string[] = [];
    let page = { place: 0, hasMore: true };
    while (page.hasMore) {
      const next = await events.after(page.place, [HIRER]);
      pages.push(next.events.length);
      ids.push(...next.events.map(({ id }) => id));
      page = next;
    }
    expect(pages).toEqual([3, 3, 1]);
    expect(ids).toEqual(Array.from({ length: 7 }, (_, number) => `event-${number}`));
  });
});
