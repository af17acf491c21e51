import supertest from 'supertest';
import { getAs } from '../support/start-stack.js';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import { Database } from '../../src/storage/database.js';
import { faultOfDelivery, json } from '../support/json-server.js';
import { allOfEvents } from '../support/stored.js';
import { until } from '../support/until.js';
import { BANKSIA, NUSANTARA, SECRET, useEventObjects } from './event-store-setup.js';
import { anEvent, postWebhook, sendWebhook, signWebhook, webhookBody, YESTERDAY } from './send-webhook.js';

const objects = useEventObjects();

/** The schema has no object for an ad that was not posted. */
const WITH_OBJECT = EVENT_TYPES.filter((type) => type !== 'PositionNotPosted');

describe('the object of an event', () => {
  test.each(WITH_OBJECT)('goes with %s, in the form of the schema that is shipped', async (type) => {
    for (const hirerId of [BANKSIA, NUSANTARA, BANKSIA, NUSANTARA]) {
      // as the playground keeps it, and sent as its webhooks are
      const { id, members } = objects.stack.playground.events.emit(type, { hirerId });
      const data = await objects.deliver({
        id,
        type,
        createDateTime: YESTERDAY,
        ...members,
        hirerId,
      });
      expect(data).toMatchObject({ id, hirerId, ...members });
      expect(faultOfDelivery(objects.sink.received.at(-1)!.body)).toBeUndefined();
      expect([data.objectErrors, Object.values(data.object)]).toEqual([undefined, [expect.any(Object)]]);
      const { object } = data;
      const named = JSON.stringify(object.candidateProfile ?? object.positionProfile ?? object);
      expect(named).not.toContain(hirerId === BANKSIA ? NUSANTARA : BANKSIA);
    }
  });

  test('has answers and files, which open for machines and for no user', async () => {
    const { object } = await objects.deliver(objects.applied(BANKSIA));
    expect(object.candidateProfile.candidate.person.name.formattedName).toEqual(expect.any(String));
    const link = object.candidateProfile.attachments[0].url as string;
    expect(link).toMatch(/^\/attachments\/[\w-]+$/);
    const open = async (subject: string): Promise<number> => {
      const token = await objects.stack.playground.signIn(subject);
      return (await getAs(objects.stack.url, link, token)).status;
    };
    expect([await open('demo-backend'), await open('amelia')]).toEqual([200, 404]);
  });

  test.each([
    [BANKSIA, NUSANTARA],
    [NUSANTARA, BANKSIA],
  ])('that is of another hirer is left out: the event of %s, the application of %s', async (own, other) => {
    await objects.deliver(objects.applied(other)); // known and rightly delivered before
    const foreign = objects.applicationOf(other);
    const data = await objects.deliver(objects.applied(own, foreign.id));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual([{ code: 'FORBIDDEN' }]);
    const { person } = objects.stack.playground.world.candidates.get(foreign.candidateId)!;
    expect(JSON.stringify(data)).not.toContain(person.communication.email[0]!.address);
  });

  test('is null where the upstream says null', async () => {
    const data = await objects.deliver(
      objects.applied(BANKSIA, 'seekAnzPublicTest:candidateProfile:apply:deleted'),
    );
    expect([data.object, data.objectErrors]).toEqual([null, undefined]);
  });

  test('is left out at once when the relationship has ended', async () => {
    objects.stack.playground.world.hirers.get(NUSANTARA)!.relationships = [];
    const data = await objects.deliver(objects.applied(NUSANTARA));
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
    const before = objects.graphqlCalls();
    const data = await objects.deliver({ ...objects.applied(BANKSIA), ...members });
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual(objectErrors);
    expect(objects.graphqlCalls()).toBe(before);
  });

  test('takes the place of members of these names', async () => {
    const own = { object: { forged: true }, objectErrors: ['forged'] };
    const data = await objects.deliver({ ...objects.applied(BANKSIA), ...own });
    expect(data.object.candidateProfile).toBeTruthy();
    expect(JSON.stringify(data)).not.toContain('forged');
  });

  test('is never added to a type that no operation names, whatever the event holds', async () => {
    const event = anEvent({ type: 'SomethingNew' });
    expect(await objects.deliver({ ...event, object: { forged: true } })).toEqual(event);
  });

  test('is neither stored nor logged', async () => {
    const application = objects.applicationOf(BANKSIA);
    objects.sink.answer = ({ body }, response) =>
      response.writeHead(200).end(JSON.stringify(JSON.parse(body).data.object));
    const event = objects.applied(BANKSIA, application.id);
    const { object } = await objects.deliver(event);
    objects.sink.answer = json({}, 200);
    await until(async () => (await objects.recordOf(event)).history.length > 0);
    const secret: string = object.candidateProfile.candidate.person.communication.email[0].address;
    const database = objects.stack.service.app.get(Database, { strict: false });
    expect(await allOfEvents(database)).not.toContain(secret);
    const history = JSON.stringify((await objects.recordOf(event)).history);
    expect(secret.split(/\W/).filter((word) => history.includes(word))).toEqual([]);
    expect(objects.stack.logText()).not.toContain(secret);
  });

  test('above the limit of answers is left out', async () => {
    objects.stack.playground.faults.add({ route: 'graphql', bodyBytes: 5_242_880 });
    const data = await objects.deliver(objects.applied(BANKSIA));
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
    objects.stack.playground.faults.add({
      route: 'graphql',
      status: 200,
      body,
      contentType: 'application/json',
    });
    const data = await objects.deliver(anEvent({ type: 'PositionProfilePosted', positionProfileId: 'any' }));
    expect(data.object.positionProfile.positionTitle).toBeNull();
    expect(data.objectErrors).toEqual([{ code: 'FORBIDDEN', path: ['positionProfile', 'positionTitle'] }]);
    expect(JSON.stringify(data)).not.toContain('a secret');
  });
});

test('a signature is needed to have an object fetched', async () => {
  const body = webhookBody([objects.applied(BANKSIA)]);
  const before = objects.graphqlCalls();
  const forged = { 'seek-signature': signWebhook(body, 'another-secret-of-webhooks') };
  expect((await postWebhook(objects.stack.url, body, forged)).status).toBe(401);
  expect(objects.graphqlCalls()).toBe(before);
});

test('an upstream that fails for the events of many hirers holds no user back', async () => {
  objects.stack.playground.faults.add({ route: 'graphql', times: 0, reset: true });
  const events = Array.from({ length: 8 }, (_, n) => `seekAnzPublicTest:organization:seek:many${n}`).flatMap(
    (hirerId) => [1, 2, 3, 4].map((n) => objects.applied(hirerId, `${hirerId}-${n}`)),
  );
  await sendWebhook(objects.stack.url, SECRET, events);
  const failed = /the object of an event is not available yet/g;
  await until(() => [...objects.stack.logText().matchAll(failed)].length >= events.length);
  objects.stack.playground.faults.clear();
  const answer = await supertest(objects.stack.url)
    .post('/graphql')
    .set({
      authorization: `Bearer ${await objects.stack.playground.signIn('amelia')}`,
      'x-hirer-id': BANKSIA,
    })
    .send({ documentId: 'Hirer' });
  expect([answer.status, answer.body.data?.hiringOrganization?.id.value]).toEqual([200, BANKSIA]);
});
