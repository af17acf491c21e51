import { startJsonServer, type JsonServer } from '../support/json-server.js';
import { until } from '../support/until.js';
import { openPlayground, type Json } from '../support/start-stack.js';
import type { Playground } from '../../playground/src/playground.js';
import { ask, BANKSIA, errorsOf, NUSANTARA, control } from './client.js';
import { createHmac } from 'node:crypto';

const SECRET = 'a secret of sixteen characters or more';

describe('webhooks', () => {
  let playground: Playground;
  let receiver: JsonServer;
  let url: string;
  /** Of the next requests; 204 after them. */
  let answers: (number | 'none')[];

  beforeAll(async () => {
    receiver = await startJsonServer((_request, response) => {
      const status = answers.shift() ?? 204;
      if (status !== 'none') response.writeHead(status).end();
    });
    url = `${receiver.url.origin}/webhooks`;
    playground = await openPlayground({
      webhookSecret: SECRET,
      webhook: { url },
      delivery: { retryDelaysMs: [5, 5], timeoutMs: 300 },
      switches: { mutations: 'stateful' },
    });
  });
  let before: number;
  beforeEach(async () => {
    await playground.reset();
    before = receiver.received.length;
    answers = [];
  });

  /** What this test received. */
  const received = () =>
    receiver.received.slice(before).map(({ headers, body }) => ({
      headers,
      raw: body,
      body: JSON.parse(body),
      signature: headers['seek-signature'],
    }));
  async function receivedAtLeast(count: number): Promise<void> {
    await until(() => received().length >= count);
    await playground.webhooks.settled();
  }
  const subscriptionToPosted = () =>
    [...playground.webhooks.subscriptions.values()].find(
      ({ eventTypeCode }) => eventTypeCode === 'PositionProfilePosted',
    )!;
  const ids = () => received().flatMap(({ body }) => body.events.map(({ id }: Json) => id));

  test('6.2 signs the raw body with HMAC-SHA-512 in lower-case hex and names the request', async () => {
    const event = playground.events.emit('CandidateApplicationCreated');
    await receivedAtLeast(1);
    const [{ headers, raw, body }] = received() as [ReturnType<typeof received>[number]];
    expect(headers['seek-signature']).toBe(createHmac('sha512', SECRET).update(raw).digest('hex'));
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).toMatchObject({
      events: [
        {
          id: event.id,
          type: event.type,
          createDateTime: expect.stringMatching(/Z$/),
          hirerId: BANKSIA,
          ...event.members,
        },
      ],
      subscriptionId: expect.any(String),
      url,
    });
  });

  test('leaves signature and hirerId out of unsigned subscriptions', async () => {
    playground.webhooks.subscriptions.clear();
    const input = {
      eventTypeCode: 'PositionProfilePosted',
      schemeId: 'seekAnzPublicTest',
      url,
      signingAlgorithmCode: 'None',
    };
    const create =
      'mutation($i: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $i) { __typename } }';
    const outcomes = [];
    for (let n = 0; n < 2; n++) {
      const { data } = await ask(playground, create, { i: { webhookSubscription: input } });
      outcomes.push((data as Json).createWebhookSubscription.__typename);
    }
    expect(outcomes).toEqual(
      ['Success', 'Conflict'].map((outcome) => `CreateWebhookSubscriptionPayload_${outcome}`),
    );
    playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(1);
    const [{ signature, body } = {} as Json] = received();
    expect([signature, body.events[0].hirerId]).toEqual([undefined, undefined]);
  });

  test('sends at most ten events in a request', async () => {
    for (let n = 0; n < 23; n++) playground.events.emit('PositionProfileUpdated');
    await receivedAtLeast(3);
    expect(
      received()
        .map(({ body }) => body.events.length)
        .sort(),
    ).toEqual([10, 10, 3]);
  });

  test('treats any 2xx as success and retries after anything else, including redirects and timeouts', async () => {
    answers = [302, 'none', 200];
    playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(3);
    const log = playground.webhooks.requests.map(({ outcome, statusCode }) => [outcome, statusCode]);
    expect(log).toEqual([
      ['BadResponse', 302],
      ['RequestTimeout', 504],
      ['Success', 200],
    ]);
    expect(new Set(received().map(({ headers }) => headers['x-request-id'])).size).toBe(3);
    expect(new Set(ids()).size).toBe(1);
  });

  test('stops when the retry schedule ends', async () => {
    answers = [500, 500, 500, 500];
    playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(3);
    expect(answers).toEqual([500]);
  });

  test('sends duplicates and holds events back on demand', async () => {
    await control(playground, 'webhooks/mischief', 'duplicateNext=1', 'paused=true');
    const events = [1, 2, 3].map(() => playground.events.emit('PositionProfilePosted').id);
    await control(playground, 'webhooks/mischief', 'paused=false');
    await receivedAtLeast(2);
    expect(ids()).toEqual([...events, ...events]);
  });

  test('replays past events by mutation, and reports what was delivered', async () => {
    const subscription = subscriptionToPosted();
    const event = playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(1);
    const replay =
      'mutation($i: ReplayWebhookSubscriptionInput!) { replayWebhookSubscription(input: $i) { webhookSubscription { webhookSubscriptionReplays { edges { node { statusCode request { typeCode } } } } } } }';
    const answer = await ask(playground, replay, {
      i: { webhookSubscription: { id: subscription.id }, eventIds: [event.id] },
    });
    const submitted = { node: { statusCode: 'Submitted', request: { typeCode: 'IdReplayRequest' } } };
    expect(answer.data).toEqual({
      replayWebhookSubscription: {
        webhookSubscription: { webhookSubscriptionReplays: { edges: [submitted] } },
      },
    });
    await receivedAtLeast(2);
    expect(ids()).toEqual([event.id, event.id]);
    const attempts =
      'query($e: String!) { webhookAttemptsForEvent(eventId: $e) { edges { node { webhookRequest { descriptionCode statusCode } } } } }';
    const success = { node: { webhookRequest: { descriptionCode: 'Success', statusCode: 204 } } };
    expect((await ask(playground, attempts, { e: event.id })).data).toEqual({
      webhookAttemptsForEvent: { edges: [success, success] },
    });
    const delivered =
      'query($s: String!, $f: EventsFilterInput) { events(schemeId: $s, filter: $f) { edges { node { id { value } } } } }';
    const filter = { subscriptionId: subscription.id, deliveredIndicator: true };
    expect((await ask(playground, delivered, { s: 'seekAnzPublicTest', f: filter })).data).toEqual({
      events: { edges: [{ node: { id: { value: event.id } } }] },
    });
  });

  test('delivers a changed subscription as before until the change acts', async () => {
    const subscription = subscriptionToPosted();
    playground.webhooks.configure(subscription, { secret: 'another secret of sixteen characters' });
    expect(subscription.secret).toBe('another secret of sixteen characters');
    playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(1);
    playground.clock.advance(5_000);
    playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(2);
    const secrets = [SECRET, 'another secret of sixteen characters'];
    expect(received().map(({ signature }) => signature)).toEqual(
      received().map(({ raw }, at) => createHmac('sha512', secrets[at]!).update(raw).digest('hex')),
    );
  });

  test('retries by the playground’s clock', async () => {
    playground.webhooks.settings.retryDelaysMs = [3_600_000];
    answers = [500, 204];
    playground.events.emit('PositionProfilePosted');
    await receivedAtLeast(1);
    playground.clock.advance(3_000_000);
    await playground.webhooks.settled();
    expect(received()).toHaveLength(1);
    playground.clock.advance(600_000);
    await receivedAtLeast(2);
  });

  describe('a subscription of one hirer', () => {
    const REPLAY =
      'mutation($i: ReplayWebhookSubscriptionInput!) { replayWebhookSubscription(input: $i) { webhookSubscription { id { value } } } }';
    const range = {
      createdAfterDateTime: '2000-01-01T00:00:00Z',
      createdBeforeDateTime: '2100-01-01T00:00:00Z',
    };
    let webhookSubscription: { id: string };
    beforeEach(() => {
      playground.webhooks.subscriptions.clear();
      playground.subscribe({ url, hirerId: BANKSIA, eventTypeCodes: ['PositionProfileUpdated'] });
      webhookSubscription = { id: [...playground.webhooks.subscriptions.keys()][0] ?? '' };
    });

    test("replays that hirer's events and nobody else's", async () => {
      playground.webhooks.setMischief({ paused: true });
      const own = playground.events.emit('PositionProfileUpdated', { hirerId: BANKSIA });
      playground.events.emit('PositionProfileUpdated', { hirerId: NUSANTARA });
      const createdAfterDateTime = new Date(own.createdMs - 1).toISOString();
      const filter = { ...range, createdAfterDateTime, replayDeliveredEventsIndicator: true };
      const answer = await ask(playground, REPLAY, { i: { webhookSubscription, filter } });
      expect(answer.errors).toBeUndefined();
      await playground.webhooks.settled();
      playground.webhooks.setMischief({ paused: false });
      await receivedAtLeast(1);
      expect(new Set(ids())).toEqual(new Set([own.id]));
    });

    test('replays no event of more than 90 days ago', async () => {
      const wish = { hirerId: BANKSIA, lateMs: 91 * 86_400_000 };
      const { id, createdMs } = playground.events.emit('PositionProfileUpdated', wish);
      await receivedAtLeast(1);
      const createdBeforeDateTime = new Date(createdMs + 1).toISOString();
      const filter = { ...range, createdBeforeDateTime, replayDeliveredEventsIndicator: true };
      await ask(playground, REPLAY, { i: { webhookSubscription, filter } });
      await playground.webhooks.settled();
      const byId = await ask(playground, REPLAY, { i: { webhookSubscription, eventIds: [id] } });
      expect([errorsOf(byId)[0]?.[0], ids()]).toEqual(['BAD_USER_INPUT', [id]]);
    });

    test.each(['eventIds[0]', 'filter.hirerId'])("refuses another hirer's %s", async (field) => {
      const theirs = playground.events.emit('PositionProfileUpdated', { hirerId: NUSANTARA });
      const wanted = field.startsWith('eventIds')
        ? { eventIds: [theirs.id] }
        : { filter: { ...range, replayDeliveredEventsIndicator: true, hirerId: NUSANTARA } };
      const answer = await ask(playground, REPLAY, { i: { webhookSubscription, ...wanted } });
      expect(answer.errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', field: `input.${field}` } },
      ]);
      expect(playground.webhooks.replays.size).toBe(0);
    });
  });
});
