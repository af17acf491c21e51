import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { EventReconciliation } from '../../src/webhooks/reconcile/event-reconciliation.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { PublicUpstream, webhookFormOf, type CannedEvent } from '../support/public-upstream.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { Listener, sendWebhook } from './send-webhook.js';

const SECRET = 'secret-of-the-upstream';
const SINK_KEY = `whsec_${randomBytes(32).toString('base64')}`;
const HIRERS = [
  'seekAnzPublicTest:organization:seek:93WyyF1h',
  'seekAnzPublicTest:organization:seek:4Kd8mQxT',
];
const TYPES = [
  'CandidateApplicationCreated',
  'PositionProfilePosted',
  'HirerRelationshipChanged',
  'PositionProfileClosed',
];
const HALF = 100;
const EVENTS_PER_WEBHOOK = 10;

describe.each(TEST_DATABASES)(
  'the service beside an upstream with the public schema, on $name',
  ({ open }) => {
    let test_: TestDatabase;
    let upstream: PublicUpstream;
    let sink: JsonServer;
    let stack: Stack;
    let stream: Listener;

    beforeEach(async () => {
      test_ = await open();
      upstream = await PublicUpstream.start();
      sink = await startJsonServer(json({}, 200));
    });
    afterEach(async () => {
      stream.close();
      await stack.close();
      await sink.close();
      await upstream.close();
      await test_.drop();
    });

    const start = async (): Promise<void> => {
      stack = await startStack({
        ...test_.settings,
        ...upstream.settings,
        EVENTS_START: 'earliest',
        WEBHOOK_SECRETS: SECRET,
        EVENT_SINK_URL: sink.url.href,
        EVENT_SINK_SECRET: SINK_KEY,
      });
    };
    const emitHalf = (): CannedEvent[] =>
      Array.from({ length: HALF }, (_, index) =>
        upstream.emit(
          TYPES[index % TYPES.length]!,
          HIRERS[Math.floor(index / TYPES.length) % HIRERS.length]!,
        ),
      );
    const reconcile = (): Promise<unknown> =>
      stack.service.app.get(EventReconciliation, { strict: false }).run(true);
    const sendWebhooks = async (events: readonly CannedEvent[]): Promise<void> => {
      for (let from = 0; from < events.length; from += EVENTS_PER_WEBHOOK) {
        const some = events.slice(from, from + EVENTS_PER_WEBHOOK).map(webhookFormOf);
        expect((await sendWebhook(stack.url, SECRET, some)).status).toBe(204);
      }
    };
    const listed = async (): Promise<Record<string, unknown>[]> => {
      const items: Record<string, unknown>[] = [];
      for (let next: string | null = ''; next !== null;) {
        const page = await supertest(stack.opsUrl).get(`/events${next && `?after=${next}`}`);
        items.push(...page.body.items);
        next = page.body.next;
      }
      return items;
    };
    const expectAllComplete = async (): Promise<void> => {
      const items = await listed();
      expect(items.filter(({ hirerId }) => hirerId === null)).toEqual([]);
      expect(items.filter(({ trust, state }) => trust !== 'signed' || state !== 'delivered')).toEqual([]);
      const byId = new Map(items.map(({ id, payload }) => [id, payload]));
      for (const event of upstream.events) expect(byId.get(event.id)).toEqual(webhookFormOf(event));
      expect(byId.size).toBe(upstream.events.length);
      const changed = upstream.events.filter(({ typeCode }) => typeCode === 'HirerRelationshipChanged');
      for (const { hirerId, changes } of (await supertest(stack.opsUrl).get('/relationships')).body.items) {
        expect(changes).toBe(changed.filter((event) => event.hirerId === hirerId).length);
      }
    };

    test('200 events, half by webhook and half by reconciliation first, are complete on the first tier and delivered once each', async () => {
      const reconciledFirst = emitHalf();
      await start();
      await until(() => sink.received.length === HALF);
      stream = await Listener.open(stack.url, await stack.playground.signIn('amelia'));
      await until(() => stream.text.startsWith(': open'));
      expect((await listed()).filter(({ hirerId }) => hirerId === null)).toEqual([]);

      const sentFirst = emitHalf();
      await sendWebhooks([...sentFirst, ...reconciledFirst]);
      await until(async () => (await reconcile()) === 'completed');
      await until(() => sink.received.length >= 2 * HALF && stream.ids.length >= HALF);
      await expectAllComplete();
      const ids = sink.received.map(({ headers }) => headers['webhook-id']);
      expect(ids.toSorted()).toEqual(upstream.events.map(({ id }) => id).toSorted()); // each once
      expect(stream.events.map(({ data }) => data)).toEqual(sentFirst.map(webhookFormOf));
      const { text } = await supertest(stack.opsUrl).get('/metrics');
      expect(text).toContain('bff_webhook_reconciliation_state{tier="full"} 1');
      expect(text).not.toMatch(/bff_webhook_events_total\{[^}]*outcome="completed"/);
      const { checks } = (await supertest(stack.opsUrl).get('/readyz')).body;
      expect(checks.reconciliation.state).toBe('up');
    });
  },
);
