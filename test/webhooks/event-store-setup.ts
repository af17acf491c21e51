import type { Database } from '../../src/storage/database.js';
import { DeliveryQueue } from '../../src/webhooks/deliver/delivery-queue.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventInbox } from '../../src/webhooks/store/insert/event-inbox.js';
import type { InsertPolicy } from '../../src/webhooks/store/insert/insert-policy.js';
import { EventRecords, type EventRecord } from '../../src/webhooks/store/records/event-records.js';
import type { ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { forgetEvents } from '../support/stored.js';
import type { TestDatabase } from '../support/test-database.js';

export const LEASE_MS = 30_000;
export const WINDOW_MS = 300_000;
export const DAY_MS = 86_400_000;

/** A signed event of one hirer. */
export function received(id: string, members: Partial<ReceivedEvent> = {}): ReceivedEvent {
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

/** Opens a store of events for a suite, empty before each test. */
export function useEventStore(open: () => Promise<TestDatabase>): EventStore {
  const store = new EventStore();
  beforeAll(() => store.open(open));
  afterAll(() => store.drop());
  beforeEach(() => store.reset());
  return store;
}

/** A store of events without deliverers, and a clock that tests move. */
class EventStore {
  /** Epoch milliseconds. */
  clock = 0;
  readonly now = (): number => this.clock;
  /** New for each test. */
  inbox!: EventInbox;
  private testDatabase!: TestDatabase;

  get database(): Database {
    return this.testDatabase.database;
  }

  replica(): Database {
    return this.testDatabase.replica();
  }

  async open(open: () => Promise<TestDatabase>): Promise<void> {
    this.testDatabase = await open();
  }

  drop(): Promise<void> {
    return this.testDatabase.drop();
  }

  async reset(): Promise<void> {
    this.clock = 1_000 * DAY_MS;
    await forgetEvents(this.database);
    this.inbox = this.openInbox();
  }

  /** Unless a policy says so, every type but `Unwanted` is wanted, and a repeat after the window is delivered again. */
  openInbox(over = this.database, policy: Partial<InsertPolicy> = {}): EventInbox {
    const usual = { isWanted: ({ type }: ReceivedEvent) => type !== 'Unwanted', redeliverAfterMs: WINDOW_MS };
    return new EventInbox(over, { ...usual, ...policy }, new EventNotices(over), this.now);
  }

  queue(over = this.database): DeliveryQueue {
    return new DeliveryQueue(over, LEASE_MS, this.now);
  }

  records(): EventRecords {
    return new EventRecords(this.database, this.now);
  }

  /** The first page of all events. */
  async list(): Promise<readonly EventRecord[]> {
    return (await this.records().list({})).items;
  }

  /** Takes events and reports each as delivered. */
  async deliver(most = 10) {
    const taken = await this.queue().take(most);
    for (const event of taken) expect(await this.queue().finish(event, 'delivered')).toBe(true);
    return taken;
  }
}
