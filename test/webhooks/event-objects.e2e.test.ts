import supertest from 'supertest';
import { getAs, startStack, type Json, type Stack } from '../support/start-stack.js';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import {
  faultOfDelivery,
  json,
  startJsonServer,
  webhookSettings,
  type JsonServer,
} from '../support/json-server.js';
import { until } from '../support/until.js';
import {
  anEvent,
  BANKSIA,
  HIRER_PAIRS,
  NUSANTARA,
  sendWebhook,
  YESTERDAY,
  type SentEvent,
} from './send-webhook.js';

const SECRET = 'a-secret-of-these-webhooks';

let stack: Stack;
let sink: JsonServer;

beforeAll(async () => {
  sink = await startJsonServer(json({}, 200));
  stack = await startStack(webhookSettings(SECRET, sink));
});
/** Both hirers allow everything. */
beforeEach(() => {
  const { hirers } = stack.playground.world;
  const everything = ['ApplicationExport', 'JobPosting', 'ProactiveSourcing'] as const;
  for (const id of [BANKSIA, NUSANTARA]) hirers.get(id)!.relationships = [...everything];
});
afterEach(() => stack.playground.faults.clear());

/** Sends an event, and gives the `data` of its delivery once it has come. */
async function deliver(event: SentEvent): Promise<Json> {
  expect((await sendWebhook(stack.url, SECRET, [event])).status).toBe(204);
  const find = () =>
    sink.received.map(({ body }) => JSON.parse(body).data).find((data) => data.id === event['id']);
  await until(() => find() !== undefined);
  return find();
}

/** An application with files. */
function applicationOf(hirerId: string) {
  const { candidateProfiles, attachments } = stack.playground.world;
  const withFiles = new Set([...attachments.values()].map(({ profileId }) => profileId));
  return [...candidateProfiles.values()].find(
    (one) => one.hirerId === hirerId && one.positionProfileId !== null && withFiles.has(one.id),
  )!;
}

/** The event that somebody applied. */
function applied(hirerId: string, application = applicationOf(hirerId).id): SentEvent {
  return anEvent({ hirerId, candidateApplicationProfileId: application });
}

function graphqlCalls(): number {
  return stack.playground.calls.list({ route: 'graphql' }).length;
}

/** The schema has no object for an ad that was not posted. */
const WITH_OBJECT = EVENT_TYPES.filter((type) => type !== 'PositionNotPosted');

describe('the object of an event', () => {
  test.each(WITH_OBJECT)('goes with %s, in the form of the schema that is shipped', async (type) => {
    for (const hirerId of [BANKSIA, NUSANTARA, BANKSIA, NUSANTARA]) {
      const { id, members } = stack.playground.events.emit(type, { hirerId });
      const data = await deliver({ id, type, createDateTime: YESTERDAY, ...members, hirerId });
      expect(data).toMatchObject({ id, hirerId, ...members });
      expect(faultOfDelivery(sink.received.at(-1)!.body)).toBeUndefined();
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
      return (await getAs(stack.url, link, token)).status;
    };
    expect([await open('demo-backend'), await open('amelia')]).toEqual([200, 404]);
  });

  test.each(HIRER_PAIRS)(
    'that is of another hirer is left out: the event of %s, the application of %s',
    async (own, other) => {
      await deliver(applied(other)); // known and rightly delivered before
      const foreign = applicationOf(other);
      const data = await deliver(applied(own, foreign.id));
      expect(data).not.toHaveProperty('object');
      expect(data.objectErrors).toEqual([{ code: 'FORBIDDEN' }]);
      const { person } = stack.playground.world.candidates.get(foreign.candidateId)!;
      expect(JSON.stringify(data)).not.toContain(person.communication.email[0]!.address);
    },
  );

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

  test('above the limit of answers is left out', async () => {
    stack.playground.faults.add({ route: 'graphql', bodyBytes: 5_242_880 });
    const data = await deliver(applied(BANKSIA));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual([{ code: 'UPSTREAM_ERROR' }]);
  });

  test('with an error in a part of it goes with that error, without its text', async () => {
    const positionProfile = { positionOrganizations: [{ id: { value: BANKSIA } }], positionTitle: null };
    const error = { path: ['positionProfile', 'positionTitle'], extensions: { code: 'FORBIDDEN' } };
    const body = JSON.stringify({ data: { positionProfile }, errors: [{ ...error, message: 'a secret' }] });
    stack.playground.faults.add({ route: 'graphql', status: 200, body, contentType: 'application/json' });
    const data = await deliver(anEvent({ type: 'PositionProfilePosted', positionProfileId: 'any' }));
    expect(data.object.positionProfile.positionTitle).toBeNull();
    expect(data.objectErrors).toEqual([{ code: 'FORBIDDEN', path: ['positionProfile', 'positionTitle'] }]);
    expect(JSON.stringify(data)).not.toContain('a secret');
  });
});

test('an upstream that fails for the events of many hirers holds no user back', async () => {
  stack.playground.faults.add({ route: 'graphql', times: 0, reset: true });
  const events = Array.from({ length: 8 }, (_, n) => `seekAnzPublicTest:organization:seek:many${n}`).flatMap(
    (hirerId) => [1, 2, 3, 4].map((n) => applied(hirerId, `${hirerId}-${n}`)),
  );
  await sendWebhook(stack.url, SECRET, events);
  const failed = /the object of an event is not available yet/g;
  await until(() => [...stack.logText().matchAll(failed)].length >= events.length);
  stack.playground.faults.clear();
  const authorization = `Bearer ${await stack.playground.signIn('amelia')}`;
  const answer = await supertest(stack.url)
    .post('/graphql')
    .set({ authorization, 'x-hirer-id': BANKSIA })
    .send({ documentId: 'Hirer' });
  expect([answer.status, answer.body.data?.hiringOrganization?.id.value]).toEqual([200, BANKSIA]);
});
