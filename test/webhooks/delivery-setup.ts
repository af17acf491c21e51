import type { lookup } from 'node:dns';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Database } from '../../src/storage/database.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { DeliveryWorkers } from '../../src/webhooks/deliver/delivery-workers.js';
import type { ObjectSource } from '../../src/webhooks/deliver/event-objects.js';
import type { DeliveredObject } from '../../src/webhooks/deliver/read-object.js';
import type { DeliverableEvent, Sink, SinkSettings } from '../../src/webhooks/deliver/sinks/sink.js';
import { HttpSink } from '../../src/webhooks/deliver/sinks/http-sink.js';
import { EventBacklog } from '../../src/webhooks/store/event-backlog.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import type { EventRecord } from '../../src/webhooks/store/event-records.js';
import { EventSinks } from '../../src/webhooks/store/event-sinks.js';
import { WebhookMetrics } from '../../src/webhooks/webhook-metrics.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { endsByItself } from '../support/machine.js';
import { CLIENT_SETTINGS } from '../support/parts.js';
import { SQLITE, type TestDatabase } from '../support/test-database.js';
import { EventStore, signed } from './event-store-setup.js';
import type { SentEvent } from './send-webhook.js';

/** The keys that the sink's deliveries are signed with. */
export const KEYS = [randomBytes(32), randomBytes(24)];
/** The pauses after the first, second, … failed attempt. */
export const SCHEDULE_SECONDS = [5, 30, 120, 600];
/** For parts that log. */
export const silentLog = pino({ level: 'silent' });

/** The default sink at this URL. */
export function aSink(url: URL): SinkSettings {
  return {
    name: 'default',
    url,
    keys: () => [],
    types: [],
    hirers: [],
    allowPrivate: false,
    timeoutMs: 2_000,
    concurrency: 8,
    retrySeconds: SCHEDULE_SECONDS,
    objects: true,
  };
}

/** Opens a database and a sink for a suite, both empty before each test. */
export function useDelivery(open = SQLITE.open): Delivery {
  const delivery = new Delivery();
  beforeAll(() => delivery.open(open));
  beforeEach(() => delivery.reset());
  return delivery;
}

/** A store of events with its deliverers, and a sink that remembers what it receives. */
class Delivery extends EventStore {
  /** The metrics of the deliverer that was opened last. */
  counted = new Metrics();
  readonly conditions = new Conditions();
  server!: JsonServer;
  /** By how much the clock was set back. */
  setBackMs = 0;
  private readonly steadyNow = (): number => this.clock + this.setBackMs;

  override async open(open: () => Promise<TestDatabase>): Promise<void> {
    this.server = await startJsonServer(json({}, 200));
    await super.open(open);
  }

  override async reset(): Promise<void> {
    await super.reset();
    this.clock = Date.now();
    this.setBackMs = 0;
    this.forgetReceived();
    this.server.answer = json({}, 200);
  }

  openSink(overrides: Partial<SinkSettings> = {}, resolver?: typeof lookup): HttpSink {
    const settings = { ...aSink(new URL('/sink?tenant=1', this.server.url)), keys: () => KEYS, ...overrides };
    const sink = new HttpSink(settings, CLIENT_SETTINGS, this.now, resolver);
    endsByItself(() => sink.close());
    return sink;
  }

  /** A sink that takes everything at once, and the ids that it took, in order. */
  openQuickSink() {
    const ids: string[] = [];
    const sink = this.openSink();
    sink.deliver = async ({ id }) => {
      ids.push(id);
      return { kind: 'delivered' };
    };
    return { sink, ids };
  }

  /** Opens a deliverer to the default sink, or to others; `concurrency` is that of each. */
  openDeliverer({
    sinks = [this.openSink()],
    over = this.database,
    concurrency = 8,
    objects,
  }: DelivererOptions = {}): DeliveryWorkers {
    this.counted = new Metrics();
    for (const sink of sinks) {
      Object.assign(sink.settings, { concurrency, objects: objects !== undefined });
    }
    const own = new EventSinks(sinks.map(({ settings }) => settings));
    new EventBacklog(over, own, this.counted, this.conditions);
    return new DeliveryWorkers(
      { UPSTREAM_TIMEOUT_MS: 10_000, ISSUER_TIMEOUT_MS: 5_000 },
      over,
      sinks,
      new EventNotices(over),
      new WebhookMetrics(this.counted, own),
      this.conditions,
      silentLog,
      objects as ObjectSource,
      { now: this.now, steadyNow: this.steadyNow, random: () => 0.5 },
    );
  }

  /** Stores signed events. */
  async put(...events: SentEvent[]): Promise<void> {
    await this.inbox.put(events.map(signed));
  }

  /** Stores an event, and has a new deliverer deliver what is due, once. */
  async deliver(event: SentEvent, sink: Sink = this.openSink()): Promise<void> {
    await this.put(event);
    await this.run(this.openDeliverer({ sinks: [sink] }));
  }

  /** Delivers what is due, once. */
  async run(deliverer: DeliveryWorkers): Promise<void> {
    await deliverer.takeDue();
    await deliverer.idle();
  }

  /** Runs until nothing is due at this time. */
  async runAll(deliverer: DeliveryWorkers): Promise<void> {
    let before = -1;
    while (before < this.server.received.length) {
      before = this.server.received.length;
      await this.run(deliverer);
    }
  }

  async states(): Promise<EventRecord['state'][]> {
    return (await this.list()).map(({ state }) => state);
  }

  /** The ids of the deliveries that the sink received, in order. */
  deliveredIds(): (string | string[] | undefined)[] {
    return this.server.received.map(({ headers }) => headers['webhook-id']);
  }

  forgetReceived(): void {
    (this.server.received as unknown[]).length = 0;
  }
}

interface DelivererOptions {
  readonly sinks?: readonly Sink[];
  readonly over?: Database;
  readonly concurrency?: number;
  readonly objects?: ObjectSource;
}

/** An event that is being delivered, of one member or more. */
export function aDelivery(payload: string): DeliverableEvent {
  const { id = 'e1' } = JSON.parse(payload) as { id?: string };
  const named = { id, webhookId: id, type: 'T', hirerId: 'h', createDateTime: null };
  return { ...named, receivedAt: 0, payload, reason: 'new' };
}

/** An object of which a part was not found. */
export function anObject(text: string): DeliveredObject {
  return { object: JSON.stringify({ text }), errors: [{ code: 'NOT_FOUND' }] };
}
