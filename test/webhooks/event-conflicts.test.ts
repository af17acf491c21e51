import { SignedEvents } from '../../src/webhooks/store/signed-events.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { received, useEventStore } from './event-store-setup.js';

describe.each(TEST_DATABASES)('an id that several hirers are named for, in $name', ({ open }) => {
  const store = useEventStore(open);

  test('vouches for the hirer of its signed event, and for none where no event can have it', async () => {
    const owners = new SignedEvents(store.database);
    await store.inbox.put([received('x')]);
    expect(await owners.hirerOf('x')).toBe('hirer-1');
    for (const id of ['unknown', 'x\0', '\ud800']) expect(await owners.hirerOf(id)).toBeUndefined();
  });
});
