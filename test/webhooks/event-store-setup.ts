import type { Database } from '../../src/storage/database.js';
import { readEventFilter } from '../../src/webhooks/events.ops.dto.js';
import { Deliveries, type Claimed, type DeliveryReport } from '../../src/webhooks/store/deliveries.js';
import { DEFAULT_SINK, EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventRecords, type EventRecord } from '../../src/webhooks/store/event-records.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { readWebhookEvent, type Insertion, type ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { forgetEvents } from '../support/stored.js';
import { withClock, type TestDatabase } from '../support/test-database.js';

export const LEASE_MS = 30_000;
export const WINDOW_MS = 300_000;
export const DAY_MS = 86_400_000;
/** Longer than a busy machine takes to store events. */
const PUT_TIMEOUT_MS = 120_000;

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

type Members = Readonly<Record<string, unknown>>;

/** An event with these members that a signed webhook brought. */
export function signed(members: Members): ReceivedEvent {
  return { ...readWebhookEvent(members), trust: 'signed', subscriptionId: 's', requestId: 'r' };
}

/** An event with these members that the upstream answered itself. */
export function reconciled(members: Members): ReceivedEvent {
  return { ...readWebhookEvent(members), trust: 'reconciled', subscriptionId: null, requestId: null };
}

/** The default sink, and no other. */
export const ONE_SINK = new EventSinks([{ name: DEFAULT_SINK, types: [], hirers: [] }]);
/** No sink. */
export const NO_SINKS = new EventSinks([]);

/** The default sink, which wants every type but `Unwanted`. */
class UsualSinks extends EventSinks {
  override wanting({ type }: Pick<ReceivedEvent, 'type' | 'hirerId'>): string[] {
    return type === 'Unwanted' ? [] : [DEFAULT_SINK];
  }
}
const USUAL = new UsualSinks([{ name: DEFAULT_SINK, types: [], hirers: [] }]);

/** Sinks that no event of the type `odd` can be queued for. */
export class OddSinks extends EventSinks {
  override wanting({ type }: Pick<ReceivedEvent, 'type' | 'hirerId'>): string[] {
    if (type === 'odd') throw new Error('odd');
    return [];
  }
}

/** What became of a claimed event: it was delivered, unless something else is said. */
export function reportOf(claimed: Claimed, report: Partial<DeliveryReport> = {}): DeliveryReport {
  return { ...claimed, state: 'delivered', pauseMs: null, lastFailure: null, ...report };
}

/** Opens a store of events for a suite, empty before each test. */
export function useEventStore(open: () => Promise<TestDatabase>): EventStore {
  const store = new EventStore();
  beforeAll(() => store.open(open));
  beforeEach(() => store.reset());
  return store;
}

/** A store of events without deliverers, and a clock that tests move. */
export class EventStore {
  /** Epoch milliseconds. */
  clock = 0;
  readonly now = (): number => this.clock;
  /** What {@link insert} inserts for. */
  sinks = ONE_SINK;
  /** New for each test. */
  inbox!: EventInbox;
  /** On the clock of tests. */
  database!: Database;
  private testDatabase!: TestDatabase;

  replica(): Database {
    return withClock(this.testDatabase.replica(), this.now);
  }

  async open(open: () => Promise<TestDatabase>): Promise<void> {
    this.testDatabase = await open();
    this.database = withClock(this.testDatabase.database, this.now);
  }

  async reset(): Promise<void> {
    this.clock = 1_000 * DAY_MS;
    this.sinks = ONE_SINK;
    await forgetEvents(this.database);
    this.inbox = this.openInbox();
  }

  openInbox(over = this.database, sinks: EventSinks = USUAL): EventInbox {
    return new EventInbox(over, sinks, new EventNotices(over), PUT_TIMEOUT_MS);
  }

  /** Inserts events in one transaction. */
  async insert(...events: readonly ReceivedEvent[]): Promise<readonly Insertion[]> {
    return (await this.database.transaction((tx) => insertEvents(tx, events, this.sinks))).insertions;
  }

  /** The same, with the number of statements that it took, and of characters that they were given. */
  async insertCounting(events: readonly ReceivedEvent[]) {
    let [statements, written] = [0, 0];
    const { insertions } = await this.database.transaction((tx) => {
      const counting: typeof tx = {
        ...tx,
        query: (sql, parameters = []) => {
          statements += 1;
          written += parameters.join('').length;
          return tx.query(sql, parameters);
        },
      };
      return insertEvents(counting, events, this.sinks);
    });
    return { insertions, statements, written };
  }

  queue(sink = DEFAULT_SINK, over = this.database): Deliveries {
    return new Deliveries(over, sink, LEASE_MS);
  }

  records(sinks = ONE_SINK): EventRecords {
    return new EventRecords(this.database, sinks);
  }

  /** The first page of all events. */
  async list(): Promise<readonly EventRecord[]> {
    return (await this.records().list({})).items;
  }

  /** Those on all pages of a list, as an operator reads them. */
  async listAll(query: Readonly<Record<string, string>> = {}): Promise<readonly EventRecord[]> {
    const records = this.records();
    let page = await records.list(readEventFilter(query));
    const items = [...page.items];
    while (page.next !== null) {
      page = await records.list(readEventFilter({ ...query, after: page.next }));
      items.push(...page.items);
    }
    return items;
  }

  /** Claims the events that are due, and reports each as delivered, or as something else. */
  async settle(report: Partial<DeliveryReport> = {}, queue = this.queue()): Promise<Claimed[]> {
    const claimed = await queue.claim(10_000);
    const reports = await Promise.all(claimed.map((event) => queue.report(event, reportOf(event, report))));
    expect(reports).toEqual(claimed.map(() => true));
    return [...claimed];
  }
}
