import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import type { Json } from '../support/ask-token.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook, type SentEvent } from './send-webhook.js';

export const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
export const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
export const SECRET = 'a-secret-of-these-webhooks';

/** A service that delivers events with their objects, and waits three seconds for one. */
export function useEventObjects(): EventObjects {
  const objects = new EventObjects();
  beforeAll(() => objects.open());
  beforeEach(() => objects.relate());
  afterEach(() => objects.stack.playground.faults.clear());
  afterAll(() => objects.close());
  return objects;
}

class EventObjects {
  stack!: Stack;
  sink!: JsonServer;

  async open(): Promise<void> {
    this.sink = await startJsonServer(json({}, 200));
    this.stack = await startStack({
      EVENTS_SCHEME_ID: '',
      WEBHOOK_SECRETS: SECRET,
      EVENT_SINK_URL: this.sink.url.href,
      EVENT_SINK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      EVENT_SINK_CONCURRENCY: '2',
      EVENT_OBJECT_PATIENCE_SECONDS: '3',
      UPSTREAM_TIMEOUT_MS: '2000',
    });
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.sink.close();
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
