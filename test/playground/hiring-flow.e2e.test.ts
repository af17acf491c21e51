import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { BANKSIA, control, examplesOf, NUSANTARA } from './client.js';
import { type Json, startStack, type Stack } from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { until } from '../support/until.js';

/** A whole hire over real sockets: the service with its registered operations, the playground, and the partner's sink. */
describe('from an ad to a hire', () => {
  let stack: Stack;
  let sink: JsonServer;
  beforeAll(async () => {
    sink = await startJsonServer(json({}, 200));
    stack = await startStack(
      {
        EVENT_SINK_URL: sink.url.href,
        EVENT_SINK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      },
      { switches: { mutations: 'stateful', postingDelayMs: 100 } },
    );
    stack.playground.subscribe({ url: `${stack.url}/webhooks` });
  });

  /** Calls a registered operation as a demo user for a hirer. */
  async function call(user: string, documentId: string, variables: Json, hirerId = BANKSIA): Promise<Json> {
    const authorization = `Bearer ${await stack.playground.signIn(user)}`;
    const request = supertest(stack.url).post('/graphql').set({ authorization, 'x-hirer-id': hirerId });
    return (await request.send({ documentId, variables })).body;
  }

  /** The event of a type that reached the partner's sink. */
  async function delivered(type: string): Promise<Json> {
    const find = () =>
      sink.received.map(({ body }): Json => JSON.parse(body)).find((event) => event.type === type);
    await until(() => find() !== undefined);
    return find()!.data;
  }

  const exampleInput = (mutation: string): Json =>
    structuredClone(examplesOf(stack.playground).find(({ name }) => name === mutation)!.variables);

  test('an ad is posted, a candidate applies, the hirer reads and records it, and the ad is closed', async () => {
    // Amelia posts an ad for Banksia, and its event arrives once it is public.
    const posting = await call('amelia', 'PostPosition', exampleInput('postPosition'));
    expect(posting.errors).toBeUndefined();
    const adId: string = posting.data.postPosition.positionProfile.profileId.value;
    expect(await delivered('PositionProfilePosted')).toMatchObject({
      positionProfileId: adId,
      hirerId: BANKSIA,
    });

    // A candidate applies for it, and the partner is told.
    const files = 'attachments=["Resume.txt","CoverLetter.txt"]';
    const applying = [`positionProfileId=${adId}`, 'name=Robin Example', files];
    await control(stack.playground, 'applications', ...applying);
    const application = await delivered('CandidateApplicationCreated');
    const id: string = application.candidateApplicationProfileId;

    // Amelia reads the application and its résumé through the service.
    const read = await call('amelia', 'Application', { id });
    expect(read.errors).toBeUndefined();
    const { candidate, attachments } = read.data.candidateProfile;
    expect(candidate.person.name.formattedName).toBe('Robin Example');
    const { url } = attachments.find(({ seekRoleCode }: Json) => seekRoleCode === 'Resume');
    const open = async (user: string) =>
      supertest(stack.url)
        .get(url)
        .set({ authorization: `Bearer ${await stack.playground.signIn(user)}` });
    expect((await open('amelia')).text).toContain('Robin Example');

    // Bayu recruits for another hirer: neither under its name nor under Banksia's does he see any of it.
    expect((await open('bayu')).status).toBe(404);
    for (const hirerId of [BANKSIA, NUSANTARA]) {
      const refused = await call('bayu', 'Application', { id }, hirerId);
      expect(refused.errors[0].extensions.code).toBe('FORBIDDEN');
      expect(JSON.stringify(refused)).not.toContain('Robin');
    }

    // A step is recorded, and the ad is closed.
    const step = exampleInput('createCandidateProcessHistoryItem');
    step.input.candidateProfile.profileId = id;
    const recorded = await call('amelia', 'RecordApplicationStep', step);
    expect(recorded.errors).toBeUndefined();
    expect(stack.playground.world.stepsOf(id).map(({ status }) => status?.code)).toEqual(['Interview']);
    const closing = { input: { positionProfile: { profileId: adId } } };
    expect((await call('amelia', 'ClosePositionProfile', closing)).errors).toBeUndefined();
    expect(await delivered('PositionProfileClosed')).toMatchObject({ positionProfileId: adId });
  });
});
