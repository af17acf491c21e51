import supertest from 'supertest';
import { until } from '../support/until.js';
import { BANKSIA, NUSANTARA, SECRET, useEventObjects } from './event-store-setup.js';
import { anEvent, sendWebhook } from './send-webhook.js';

const objects = useEventObjects();

describe('the object of an event, while the upstream fails', () => {
  test.each([
    ['hangs', { hang: true }, 'object: UPSTREAM_TIMEOUT'],
    [
      'fails the field',
      { field: 'Query.candidateProfile', code: 'INTERNAL_SERVER_ERROR' },
      'object: INTERNAL_SERVER_ERROR',
    ],
  ])(
    'as it %s, the delivery waits, and takes nothing from the schedule of the sink',
    async (_, fault, reason) => {
      objects.stack.playground.faults.add({ route: 'graphql', times: 0, ...fault });
      const event = objects.applied(BANKSIA);
      await sendWebhook(objects.stack.url, SECRET, [event]);
      await until(async () => (await objects.recordOf(event)).lastFailure === reason);
      expect(await objects.recordOf(event)).toMatchObject({ state: 'pending', attempts: 0 });
      expect(objects.deliveries().some(({ data }) => data.id === event['id'])).toBe(false);
      objects.stack.playground.faults.clear();
      expect((await objects.delivered(event)).object).toBeTruthy();
      await until(async () => (await objects.recordOf(event)).state === 'delivered');
      expect(await objects.recordOf(event)).toMatchObject({ attempts: 1, lastFailure: null });
    },
  );

  test('for longer than the patience, the event goes without', async () => {
    objects.stack.playground.faults.add({ route: 'graphql', times: 0, status: 500 });
    const data = await objects.deliver(objects.applied(BANKSIA));
    expect(data).not.toHaveProperty('object');
    expect(data.objectErrors).toEqual([{ code: 'UPSTREAM_ERROR' }]);
  });

  test('for some objects, no other event waits, with less room than there are slow ones', async () => {
    const hanging = { route: 'graphql', field: 'Query.candidateProfile', times: 0, delayMs: 60_000 } as const;
    objects.stack.playground.faults.add(hanging);
    const slow = [objects.applied(BANKSIA), objects.applied(NUSANTARA), objects.applied(BANKSIA)];
    const [{ positionProfileId }] = [objects.stack.playground.events.emit('PositionProfilePosted').members];
    const quick = [BANKSIA, NUSANTARA].map((hirerId) =>
      anEvent({ type: 'HirerRelationshipChanged', hirerId }),
    );
    const sameHirer = anEvent({ type: 'PositionProfilePosted', positionProfileId, hirerId: BANKSIA });
    await sendWebhook(objects.stack.url, SECRET, [...slow, ...quick, sameHirer]);
    for (const event of [...quick, sameHirer]) expect((await objects.delivered(event)).object).toBeTruthy();
    const waiting = slow.map(({ id }) => id);
    expect(objects.deliveries().some(({ data }) => waiting.includes(data.id))).toBe(false);
  });

  test('for the events of many hirers, no user is held back', async () => {
    objects.stack.playground.faults.add({ route: 'graphql', times: 0, reset: true });
    const hirers = Array.from({ length: 8 }, (_, n) => `seekAnzPublicTest:organization:seek:many${n}`);
    const events = hirers.flatMap((hirerId) =>
      [1, 2, 3, 4].map((n) => objects.applied(hirerId, `${hirerId}-${n}`)),
    );
    await sendWebhook(objects.stack.url, SECRET, events);
    for (const event of events) await until(async () => (await objects.recordOf(event)).lastFailure !== null);
    objects.stack.playground.faults.clear();
    const answer = await supertest(objects.stack.url)
      .post('/graphql')
      .set({
        authorization: `Bearer ${await objects.stack.playground.signIn('amelia')}`,
        'x-hirer-id': BANKSIA,
      })
      .send({ documentId: 'Hirer' });
    expect([answer.status, answer.body.data?.hiringOrganization?.id.value]).toEqual([200, BANKSIA]);
    for (const event of events) await objects.delivered(event);
  });

  test('a rate limit is obeyed: nothing is asked until its end, and what needs nothing is delivered', async () => {
    objects.stack.playground.faults.add({ route: 'graphql', status: 429, headers: { 'Retry-After': '2' } });
    const event = objects.applied(NUSANTARA);
    await sendWebhook(objects.stack.url, SECRET, [event]);
    await until(async () => (await objects.recordOf(event)).lastFailure === 'object: RATE_LIMITED');
    const asked = objects.graphqlCalls();
    const limitedAt = Date.now();
    const later = objects.applied(BANKSIA);
    const other = anEvent({ type: 'SomethingNew' });
    await sendWebhook(objects.stack.url, SECRET, [later, other]);
    await objects.delivered(other);
    expect(objects.graphqlCalls()).toBe(asked);
    expect((await objects.delivered(later)).object).toBeTruthy();
    expect(Date.now() - limitedAt).toBeGreaterThan(1_500);
    expect((await objects.delivered(event)).object).toBeTruthy();
  });
});
