import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { Database } from '../../src/storage/database.js';
import type { Json } from '../support/ask-token.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import {
  anEvent,
  postWebhook,
  sendWebhook,
  signWebhook,
  webhookBody,
  type SentEvent,
} from './send-webhook.js';

const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
const SECRET = 'a-secret-of-these-webhooks';
const UNSIGNED = 'seekAnzPublicTest:webhookSubscription:events:unsigned';
const PATIENCE_SECONDS = 3;

let stack: Stack;
let sink: JsonServer;

beforeAll(async () => {
  sink = await startJsonServer(json({}, 200));
  stack = await startStack({
    EVENTS_SCHEME_ID: '',
    WEBHOOK_SECRETS: SECRET,
    WEBHOOK_UNSIGNED_SUBSCRIPTIONS: UNSIGNED,
    EVENT_SINK_URL: sink.url.href,
    EVENT_SINK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    EVENT_SINK_CONCURRENCY: '2',
    EVENT_OBJECT_PATIENCE_SECONDS: String(PATIENCE_SECONDS),
    UPSTREAM_TIMEOUT_MS: '2000',
  });
});
beforeEach(() => {
  for (const id of [BANKSIA, NUSANTARA]) {
    stack.playground.world.hirers.get(id)!.relationships = [
      'ApplicationExport',
      'JobPosting',
      'ProactiveSourcing',
    ];
  }
});
afterAll(async () => {
  await stack.close();
  await sink.close();
});
afterEach(() => stack.playground.faults.clear());

const deliveries = (): Json[] => sink.received.map(({ body }) => JSON.parse(body));

/** The `data` of the delivery of an event, once it has come. */
async function delivered({ id }: SentEvent): Promise<Json> {
  const find = () => deliveries().find(({ data }) => data.id === id);
  await until(() => find() !== undefined);
  return find().data;
}

async function deliver(event: SentEvent): Promise<Json> {
  expect((await sendWebhook(stack.url, SECRET, [event])).status).toBe(204);
  return delivered(event);
}

function applicationOf(hirerId: string) {
  const { candidateProfiles, attachments } = stack.playground.world;
  const withFiles = new Set([...attachments.values()].map(({ profileId }) => profileId));
  return [...candidateProfiles.values()].find(
    (one) => one.hirerId === hirerId && one.positionProfileId !== null && withFiles.has(one.id),
  )!;
}

const applied = (hirerId: string, application = applicationOf(hirerId).id): SentEvent =>
  anEvent({ hirerId, candidateApplicationProfileId: application });

const graphqlCalls = (): number => stack.playground.calls.list({ route: 'graphql' }).length;

async function recordOf({ id }: SentEvent): Promise<Json> {
  return (await supertest(stack.opsUrl).get(`/events/${encodeURIComponent(String(id))}`)).body;
}

describe('the object of an event', () => {
  test.each([
    'CandidateApplicationCreated',
    'CandidateProfilePurchased',
    'HirerRelationshipChanged',
    'PositionProfilePosted',
    'PositionProfileUpdated',
    'PositionProfileClosed',
    'PositionNotPosted',
  ] as const)('goes with %s, for one hirer and the other', async (type) => {
    for (const hirerId of [BANKSIA, NUSANTARA]) {
      // as the playground keeps it, and sent as its webhooks are
      const { id, members } = stack.playground.events.emit(type, { hirerId });
      const data = await deliver({
        id,
        type,
        createDateTime: '2026-01-02T03:04:05.678Z',
        ...members,
        hirerId,
      });
      expect(data).toMatchObject({ id, hirerId, ...members });
      expect([data.objectErrors, Object.values(data.object)]).toEqual([undefined, [expect.any(Object)]]);
      const { object } = data;
      const named = JSON.stringify(object.candidateProfile ?? object.positionProfile ?? object);
      expect(named).not.toContain(hirerId === BANKSIA ? NUSANTARA : BANKSIA);
    }
  });

  test('has answers and files, which open for machines and for no user', async () => {
    const { object } = await deliver(applied(BANKSIA));
    expect(object.candidateProfile.candidate.person.name.formattedName).toEqual(expect.any(String));
    const link = object.candidateProfile.attachments[0].url as string;
    expect(link).toMatch(/^\/attachments\/[\w-]+$/);
    const open = async (subject: string): Promise<number> => {
      const token = await stack.playground.signIn(subject);
      return (
        await supertest(stack.url)
          .get(link)
          .set({ authorization: `Bearer ${token}` })
      ).status;
    };
    expect([await open('demo-backend'), await open('amelia')]).toEqual([200, 404]);
  });

  test.each([
    [BANKSIA, NUSANTARA],
    [NUSANTARA, BANKSIA],
  ])('that is of another hirer is left out: the event of %s, the application of %s', async (own, other) => {
    await deliver(applied(other)); // known and rightly delivered before
    const foreign = applicationOf(other);
    const data = await deliver(applied(own, foreign.id));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual([{ code: 'FORBIDDEN' }]);
    const [email] = stack.playground.world.candidates.get(foreign.candidateId)!.person.emails;
    expect(JSON.stringify(data)).not.toContain(email);
  });

  test('is null where the upstream says null', async () => {
    const data = await deliver(applied(BANKSIA, 'seekAnzPublicTest:candidateProfile:apply:deleted'));
    expect([data.object, data.objectErrors]).toEqual([null, undefined]);
  });

  test('is left out at once when the relationship has ended', async () => {
    stack.playground.world.hirers.get(NUSANTARA)!.relationships = [];
    const data = await deliver(applied(NUSANTARA));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toMatchObject([{ code: 'FORBIDDEN' }]);
  });

  test.each([
    ['without a known hirer', { hirerId: undefined }, [{ code: 'FORBIDDEN' }]],
    [
      'without the member that names it',
      { candidateApplicationProfileId: undefined },
      [{ code: 'BAD_USER_INPUT', path: ['candidateApplicationProfileId'] }],
    ],
    ['with a member of another type', { candidateApplicationProfileId: 7 }, [{ code: 'BAD_USER_INPUT' }]],
  ])('of an event %s is not asked for', async (_, members, objectErrors) => {
    const before = graphqlCalls();
    const data = await deliver({ ...applied(BANKSIA), ...members });
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual(objectErrors);
    expect(graphqlCalls()).toBe(before);
  });

  test('takes the place of members of these names, and those of an unsigned event are removed', async () => {
    const own = { object: { forged: true }, objectErrors: ['forged'] };
    const data = await deliver({ ...applied(BANKSIA), ...own });
    expect(data.object.candidateProfile).toBeTruthy();
    expect(JSON.stringify(data)).not.toContain('forged');
    const before = graphqlCalls();
    const unsigned = { ...applied(BANKSIA), ...own };
    expect((await postWebhook(stack.url, webhookBody([unsigned], UNSIGNED), {})).status).toBe(204);
    const bare = await delivered(unsigned);
    expect([bare.object, bare.objectErrors]).toEqual([undefined, undefined]);
    expect(graphqlCalls()).toBe(before);
  });

  test('of a type that no operation names is none: the event goes as it came', async () => {
    const event = anEvent({ type: 'SomethingNew', object: { of: 'the upstream' } });
    expect(await deliver(event)).toEqual(event);
  });

  test('is neither stored nor logged', async () => {
    const application = applicationOf(BANKSIA);
    const { object } = await deliver(applied(BANKSIA, application.id));
    const secret: string = object.candidateProfile.candidate.person.communication.email[0].address;
    const rows = await stack.service.app.get(Database, { strict: false }).query('SELECT * FROM events');
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(stack.logText()).not.toContain(secret);
  });

  test('above the limit of answers is left out', async () => {
    stack.playground.faults.add({ route: 'graphql', bodyBytes: 5_242_880 });
    const data = await deliver(applied(BANKSIA));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual([{ code: 'UPSTREAM_ERROR' }]);
  });

  test('with an error in a part of it goes with that error, without its text', async () => {
    const body = JSON.stringify({
      data: {
        positionProfile: { positionOrganizations: [{ id: { value: BANKSIA } }], positionTitle: null },
      },
      errors: [
        {
          message: 'a secret',
          path: ['positionProfile', 'positionTitle'],
          extensions: { code: 'FORBIDDEN' },
        },
      ],
    });
    stack.playground.faults.add({ route: 'graphql', status: 200, body, contentType: 'application/json' });
    const data = await deliver(anEvent({ type: 'PositionProfilePosted', positionProfileId: 'any' }));
    expect(data.object.positionProfile.positionTitle).toBeNull();
    expect(data.objectErrors).toEqual([{ code: 'FORBIDDEN', path: ['positionProfile', 'positionTitle'] }]);
    expect(JSON.stringify(data)).not.toContain('a secret');
  });
});

describe('while the upstream fails', () => {
  test.each([
    ['answers 500', { status: 500 }, 'object: UPSTREAM_ERROR'],
    ['breaks the connection', { reset: true }, 'object: UPSTREAM_ERROR'],
    ['hangs', { hang: true }, 'object: UPSTREAM_TIMEOUT'],
    [
      'fails the field',
      { field: 'Query.candidateProfile', code: 'INTERNAL_SERVER_ERROR' },
      'object: INTERNAL_SERVER_ERROR',
    ],
  ])(
    'as it %s, the delivery waits, and takes nothing from the schedule of the sink',
    async (_, fault, reason) => {
      stack.playground.faults.add({ route: 'graphql', times: 0, ...fault });
      const event = applied(BANKSIA);
      await sendWebhook(stack.url, SECRET, [event]);
      await until(async () => (await recordOf(event)).lastFailure === reason);
      expect(await recordOf(event)).toMatchObject({ state: 'pending', attempts: 0 });
      expect(deliveries().some(({ data }) => data.id === event['id'])).toBe(false);
      stack.playground.faults.clear();
      expect((await delivered(event)).object).toBeTruthy();
      await until(async () => (await recordOf(event)).state === 'delivered');
      expect(await recordOf(event)).toMatchObject({ attempts: 1, lastFailure: null });
    },
  );

  test('for longer than the patience, the event goes without', async () => {
    stack.playground.faults.add({ route: 'graphql', times: 0, status: 500 });
    const data = await deliver(applied(BANKSIA));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual([{ code: 'UPSTREAM_ERROR' }]);
  });

  test('for some objects, no other event waits, with less room than there are slow ones', async () => {
    const hanging = { route: 'graphql', field: 'Query.candidateProfile', times: 0, delayMs: 60_000 } as const;
    stack.playground.faults.add(hanging);
    const slow = [applied(BANKSIA), applied(NUSANTARA), applied(BANKSIA)];
    const [{ positionProfileId }] = [stack.playground.events.emit('PositionProfilePosted').members];
    const quick = [BANKSIA, NUSANTARA].map((hirerId) =>
      anEvent({ type: 'HirerRelationshipChanged', hirerId }),
    );
    const sameHirer = anEvent({ type: 'PositionProfilePosted', positionProfileId, hirerId: BANKSIA });
    await sendWebhook(stack.url, SECRET, [...slow, ...quick, sameHirer]);
    for (const event of [...quick, sameHirer]) expect((await delivered(event)).object).toBeTruthy();
    const waiting = slow.map(({ id }) => id);
    expect(deliveries().some(({ data }) => waiting.includes(data.id))).toBe(false);
  });

  test('for the events of many hirers, no user is held back', async () => {
    stack.playground.faults.add({ route: 'graphql', times: 0, reset: true });
    const hirers = Array.from({ length: 8 }, (_, n) => `seekAnzPublicTest:organization:seek:many${n}`);
    const events = hirers.flatMap((hirerId) => [1, 2, 3, 4].map((n) => applied(hirerId, `${hirerId}-${n}`)));
    await sendWebhook(stack.url, SECRET, events);
    for (const event of events) await until(async () => (await recordOf(event)).lastFailure !== null);
    stack.playground.faults.clear();
    const answer = await supertest(stack.url)
      .post('/graphql')
      .set({ authorization: `Bearer ${await stack.playground.signIn('amelia')}`, 'x-hirer-id': BANKSIA })
      .send({ documentId: 'Hirer' });
    expect([answer.status, answer.body.data?.hiringOrganization?.id.value]).toEqual([200, BANKSIA]);
    for (const event of events) await delivered(event);
  });

  test('a rate limit is obeyed: nothing is asked until its end, and what needs nothing is delivered', async () => {
    stack.playground.faults.add({ route: 'graphql', status: 429, headers: { 'Retry-After': '2' } });
    const event = applied(NUSANTARA);
    await sendWebhook(stack.url, SECRET, [event]);
    await until(async () => (await recordOf(event)).lastFailure === 'object: RATE_LIMITED');
    const asked = graphqlCalls();
    const limitedAt = Date.now();
    const later = applied(BANKSIA);
    const other = anEvent({ type: 'SomethingNew' });
    await sendWebhook(stack.url, SECRET, [later, other]);
    await delivered(other);
    expect(graphqlCalls()).toBe(asked);
    expect((await delivered(later)).object).toBeTruthy();
    expect(Date.now() - limitedAt).toBeGreaterThan(1_500);
    expect((await delivered(event)).object).toBeTruthy();
  });
});

test('equal objects that are asked for at the same time are asked for once', async () => {
  const hirerId = BANKSIA;
  const { positionProfileId } = stack.playground.events.emit('PositionProfilePosted', { hirerId }).members;
  stack.playground.faults.add({ route: 'graphql', field: 'Query.positionProfile', times: 0, delayMs: 1_500 });
  const before = graphqlCalls();
  const events = ['PositionProfilePosted', 'PositionProfileUpdated'].map((type) =>
    anEvent({ type, positionProfileId, hirerId }),
  );
  await sendWebhook(stack.url, SECRET, events);
  for (const event of events) expect((await delivered(event)).object).toBeTruthy();
  expect(graphqlCalls()).toBe(before + 1);
});

test('a signature is needed to have an object fetched', async () => {
  const body = webhookBody([applied(BANKSIA)]);
  const before = graphqlCalls();
  const forged = { 'seek-signature': signWebhook(body, 'another-secret-of-webhooks') };
  expect((await postWebhook(stack.url, body, forged)).status).toBe(401);
  expect(graphqlCalls()).toBe(before);
});
