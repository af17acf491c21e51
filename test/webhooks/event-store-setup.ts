import type { Database } from '../../src/storage/database.js';
import { Deliveries, type Claimed, type DeliveryReport } from '../../src/webhooks/store/deliveries.js';
import { DEFAULT_SINK, EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventRecords, type EventRecord } from '../../src/webhooks/store/event-records.js';
import type { ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { forgetEvents } from '../support/stored.js';
import { withClock, type TestDatabase } from '../support/test-database.js';
import supertest from 'supertest';
import { type Json, startStack, type Stack } from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer, webhookSettings } from '../support/json-server.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook, type SentEvent } from './send-webhook.js';

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
class EventStore {
  /** Epoch milliseconds. */
  clock = 0;
  readonly now = (): number => this.clock;
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
    await forgetEvents(this.database);
    this.inbox = this.openInbox();
  }

  openInbox(over = this.database, sinks: EventSinks = USUAL): EventInbox {
    return new EventInbox(over, sinks, new EventNotices(over));
  }

  /** The queue of the default sink. */
  queue(over = this.database): Deliveries {
    return new Deliveries(over, DEFAULT_SINK, LEASE_MS);
  }

  records(sinks = ONE_SINK): EventRecords {
    return new EventRecords(this.database, sinks);
  }

  /** The first page of all events. */
  async list(): Promise<readonly EventRecord[]> {
    return (await this.records().list({})).items;
  }

  /** Claims events and reports each as delivered. */
  async deliver(most = 10) {
    const claimed = await this.queue().claim(most);
    for (const event of claimed) expect(await this.queue().report(event, reportOf(event))).toBe(true);
    return claimed;
  }
}

export const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
export const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
export const SECRET = 'a-secret-of-these-webhooks';

/** A service that delivers events with their objects. */
export function useEventObjects(): EventObjects {
  const objects = new EventObjects();
  beforeAll(() => objects.open());
  beforeEach(() => objects.relate());
  afterEach(() => objects.stack.playground.faults.clear());
  return objects;
}

class EventObjects {
  stack!: Stack;
  sink!: JsonServer;

  async open(): Promise<void> {
    this.sink = await startJsonServer(json({}, 200));
    this.stack = await startStack({
      ...webhookSettings(SECRET, this.sink),
    });
  }

  /** Both hirers allow everything. */
  relate(): void {
    for (const id of [BANKSIA, NUSANTARA]) {
      const hirer = this.stack.playground.world.hirers.get(id)!;
      hirer.relationships = ['ApplicationExport', 'JobPosting', 'ProactiveSourcing'];
    }
  }

  deliveries(): Json[] {
    return this.sink.received.map(({ body }) => JSON.parse(body));
  }

  /** The `data` of the delivery of an event, once it has come. */
  async delivered({ id }: SentEvent): Promise<Json> {
    const find = () => this.deliveries().find(({ data }) => data.id === id);
    await until(() => find() !== undefined);
    return find().data;
  }

  /** Sends an event, and waits for its delivery. */
  async deliver(event: SentEvent): Promise<Json> {
    expect((await sendWebhook(this.stack.url, SECRET, [event])).status).toBe(204);
    return this.delivered(event);
  }

  /** An application with files. */
  applicationOf(hirerId: string) {
    const { candidateProfiles, attachments } = this.stack.playground.world;
    const withFiles = new Set([...attachments.values()].map(({ profileId }) => profileId));
    return [...candidateProfiles.values()].find(
      (one) => one.hirerId === hirerId && one.positionProfileId !== null && withFiles.has(one.id),
    )!;
  }

  /** The event that somebody applied. */
  applied(hirerId: string, application = this.applicationOf(hirerId).id): SentEvent {
    return anEvent({ hirerId, candidateApplicationProfileId: application });
  }

  graphqlCalls(): number {
    return this.stack.playground.calls.list({ route: 'graphql' }).length;
  }

  /** The event as operators see it. */
  async recordOf({ id }: SentEvent): Promise<Json> {
    return (await supertest(this.stack.opsUrl).get(`/events/${encodeURIComponent(String(id))}`)).body;
  }
}
