import type { Json } from '../support/start-stack.js';
import {
  isLive,
  isPosted,
  type PostedProfile,
} from '../../playground/src/data/positions/position-records.js';
import {
  ask,
  BANKSIA,
  bearer,
  exampleOf,
  partnerToken,
  control,
  usePlayground,
  withMember,
} from './client.js';

const DAY_MS = 86_400_000;
const AD =
  'query($id: String!) { positionProfile(id: $id) { positionTitle positionOpening { statusCode } } }';
const POSTING = 'input.positionProfile.postingInstructions[0]';
const PROFILE = `query($id: String!) { candidateProfile(id: $id) { candidate { documentId { value } person { name { formattedName } } }
  attachments { url seekRoleCode } seekQuestionnaireSubmission { score responses { ... on ApplicationQuestionResponse {
  component { value } answers { answer } } } } } }`;

describe('what happens at the upstream', () => {
  // Time passes only where a test moves it.
  const startMs = Date.now();
  const playground = usePlayground({ clock: () => startMs, switches: { mutations: 'stateful' } });

  const newEvents = () => playground.world.events.since(0).filter(({ id }) => !knownIds.has(id));
  let knownIds: Set<string>;
  beforeEach(async () => {
    await playground.reset();
    knownIds = new Set(playground.world.events.since(0).map(({ id }) => id));
  });
  const told = () => newEvents().map(({ type, members }) => [type, members]);
  const live = (hirerId = BANKSIA): PostedProfile[] =>
    [...playground.world.positionProfiles.values()]
      .filter(isPosted)
      .filter((profile) => profile.hirerId === hirerId && isLive(profile, playground.clock.now()));
  const apply = (...pairs: string[]) => control(playground, 'applications', ...pairs);

  async function post(idempotencyId: string): Promise<string> {
    const { query, variables } = exampleOf(playground, 'postPosition');
    const answer = await ask(
      playground,
      query,
      withMember(variables, `${POSTING}.idempotencyId`, idempotencyId),
    );
    expect(answer.errors).toBeUndefined();
    return (answer.data as Json).postPosition.positionProfile.profileId.value;
  }

  test('an ad cannot be read until it is posted after the delay, and then its event tells so', async () => {
    const id = await post('first');
    expect((await ask(playground, AD, { id })).data).toEqual({ positionProfile: null });
    playground.clock.advance(1_999);
    expect(told()).toEqual([]);
    playground.clock.advance(1);
    expect(told()).toEqual([['PositionProfilePosted', { positionProfileId: id }]]);
    expect((await ask(playground, AD, { id })).data).toEqual({
      positionProfile: { positionTitle: 'Registered Nurse', positionOpening: { statusCode: 'Active' } },
    });
  });

  test('an ad that fails tells why, stays unreadable, and can be posted again', async () => {
    await control(playground, 'postings', 'reason=content');
    const id = await post('again');
    playground.clock.advance(2_000);
    expect(told()).toEqual([
      [
        'PositionNotPosted',
        { reasonId: expect.stringContaining('NotPostedReason'), seekPartnerPositionId: id },
      ],
    ]);
    expect((await ask(playground, AD, { id })).data).toEqual({ positionProfile: null });
    await post('again');
    playground.clock.advance(2_000);
    expect(told().at(-1)?.[0]).toBe('PositionProfilePosted');
    await expect(control(playground, 'postings', 'reason=mood')).rejects.toThrow(/one of relationship/);
  });

  test('an ad whose hirer withdraws JobPosting meanwhile is not posted', async () => {
    await post('late');
    playground.events.emit('HirerRelationshipChanged', { relationships: ['ApplicationExport'] });
    playground.clock.advance(2_000);
    expect(told().map(([type]) => type)).toEqual(['HirerRelationshipChanged', 'PositionNotPosted']);
  });

  test('an ad closes at its end, and is forgotten with its applications 180 days later', async () => {
    const id = await post('whole life');
    playground.clock.advance(2_000);
    const application = await apply(`positionProfileId=${id}`);
    playground.clock.advance(30 * DAY_MS);
    expect(told()).toContainEqual(['PositionProfileClosed', { positionProfileId: id }]);
    expect((await ask(playground, AD, { id })).data).toEqual({
      positionProfile: { positionTitle: 'Registered Nurse', positionOpening: { statusCode: 'Closed' } },
    });
    const profileId = application['candidateApplicationProfileId'];
    playground.clock.advance(179 * DAY_MS);
    expect((await ask(playground, PROFILE, { id: profileId })).data).not.toEqual({ candidateProfile: null });
    playground.clock.advance(2 * DAY_MS);
    expect((await ask(playground, PROFILE, { id: profileId })).data).toEqual({ candidateProfile: null });
    expect((await ask(playground, AD, { id })).data).toEqual({ positionProfile: null });
    expect(playground.world.candidates.has(application['candidateId'] ?? '')).toBe(false);
  });

  test('an ad that was closed by hand does not close a second time', async () => {
    const id = await post('closed');
    playground.clock.advance(3_000);
    const close = `mutation($input: ClosePostedPositionProfileInput!) {
      closePostedPositionProfile(input: $input) { positionProfile { profileId { value } } } }`;
    const input = { positionProfile: { profileId: id } };
    expect((await ask(playground, close, { input })).errors).toBeUndefined();
    playground.clock.advance(40 * DAY_MS);
    const own = told().filter(
      ([, members]) => (members as Record<string, string>)['positionProfileId'] === id,
    );
    expect(own.map(([type]) => type)).toEqual(['PositionProfilePosted', 'PositionProfileClosed']);
  });

  test('an ad whose end is set again closes once, and is forgotten without another ad of its opening', async () => {
    const id = await post('first of two');
    playground.clock.advance(20 * DAY_MS);
    const { ad, openingId } = playground.world.positionProfiles.get(id) as PostedProfile;
    const update = exampleOf(playground, 'updatePostedPositionProfile');
    const named = withMember(update.variables, 'input.positionProfile.profileId', id);
    const change = (wantedMs: number) => {
      const end = new Date(wantedMs).toISOString();
      return ask(playground, update.query, withMember(named, `${POSTING}.end`, end));
    };
    const { endMs } = ad;
    for (const wanted of [endMs, endMs - DAY_MS, endMs]) {
      expect((await change(wanted)).errors).toBeUndefined();
    }
    const { query, variables } = exampleOf(playground, 'postPositionProfileForOpening');
    const again = withMember(variables, 'input.positionProfile.positionOpeningId', openingId);
    const another = await ask(playground, query, again);
    expect(another.errors).toBeUndefined();
    playground.clock.advance(195 * DAY_MS);
    const closed = told().filter(
      ([type, members]) =>
        type === 'PositionProfileClosed' && (members as Record<string, string>)['positionProfileId'] === id,
    );
    expect(closed).toHaveLength(1);
    expect(playground.world.positionProfiles.has(id)).toBe(false);
    expect(playground.world.openings.get(openingId)?.profileIds).toHaveLength(1);
  });

  test('a candidate applies with answers and files, and the application can be read at once', async () => {
    const ad = live().find((profile) => profile.ad.questionnaireId !== null);
    const application = await apply(
      `positionProfileId=${ad?.id ?? ''}`,
      'name=Robin Example',
      'email=robin@people.example',
      'answers={"right-to-work":"Yes","reason":"I like it","privacy":true}',
      'attachments=["Resume.pdf","CoverLetter.txt"]',
    );
    const answer = await ask(playground, PROFILE, { id: application['candidateApplicationProfileId'] });
    const { candidateProfile } = answer.data as Json;
    expect(candidateProfile).toMatchObject({
      candidate: {
        documentId: { value: application['candidateId'] },
        person: { name: { formattedName: 'Robin Example' } },
      },
      attachments: [{ seekRoleCode: 'Resume' }, { seekRoleCode: 'CoverLetter' }],
      seekQuestionnaireSubmission: {
        score: 1,
        responses: [
          { component: { value: 'right-to-work' }, answers: [{ answer: 'Yes' }] },
          { component: { value: 'reason' }, answers: [{ answer: 'I like it' }] },
          {},
        ],
      },
    });
    const letter = await fetch(candidateProfile.attachments[1].url, {
      headers: bearer(partnerToken(playground)),
    });
    expect(await letter.text()).toMatch(/Robin Example[\s\S]*I am applying for the position/);
    expect(newEvents().map(({ id, type }) => [id, type])).toEqual([
      [application['eventId'], 'CandidateApplicationCreated'],
    ]);
  });

  test('a candidate who is known applies again, with a second profile', async () => {
    const [first, second] = live();
    const { candidateId } = await apply(`positionProfileId=${first?.id ?? ''}`);
    const again = await apply(`positionProfileId=${second?.id ?? ''}`, `candidateId=${candidateId ?? ''}`);
    expect(again['candidateId']).toBe(candidateId);
    expect(playground.world.candidates.get(candidateId ?? '')?.profileIds).toHaveLength(2);
  });

  test('refuses an application that cannot be, naming the member, and changes nothing', async () => {
    const closed = [...playground.world.positionProfiles.values()]
      .filter(isPosted)
      .find((profile) => !isLive(profile, playground.clock.now()));
    const open = live().find((profile) => profile.ad.questionnaireId !== null);
    const before = [playground.world.candidates.size, playground.world.attachments.size];
    for (const [pairs, message] of [
      [[`name=x`], /positionProfileId is required/],
      [[`positionProfileId=nothing`], /positionProfileId/],
      [[`positionProfileId=${closed?.id ?? ''}`], /closed/],
      [[`positionProfileId=${open?.id ?? ''}`, 'candidateId=nobody'], /candidateId/],
      [[`positionProfileId=${open?.id ?? ''}`, 'email=nobody'], /email/],
      [[`positionProfileId=${open?.id ?? ''}`, 'attachments=["Photo.png"]'], /Photo.png/],
      [[`positionProfileId=${open?.id ?? ''}`, 'answers={"right-to-work":"Maybe"}'], /Yes, No/],
      [[`positionProfileId=${open?.id ?? ''}`, 'answers={"colour":"red"}'], /colour/],
    ] as const) {
      await expect(apply(...pairs)).rejects.toThrow(message);
    }
    expect([playground.world.candidates.size, playground.world.attachments.size]).toEqual(before);
    expect(told()).toEqual([]);
  });

  test('a relationship that the interface does not know, or an event without a type, is refused, and none is changed', async () => {
    const { relationships } = playground.world.hirers.get(BANKSIA)!;
    const before = [...relationships];
    const changed = ['type=HirerRelationshipChanged', 'relationships=["Friendship"]'];
    await expect(control(playground, 'events', ...changed)).rejects.toThrow(/ApplicationExport/);
    const untyped = control(playground, 'events', 'count=2');
    await expect(untyped).rejects.toThrow(/type is required: CandidateApplicationCreated, /);
    expect(playground.world.hirers.get(BANKSIA)!.relationships).toEqual(before);
  });

  test('events made by hand are true: what they tell of has happened', async () => {
    const { world, events, clock } = playground;
    const posted = events.emit('PositionProfilePosted').members['positionProfileId'] ?? '';
    expect(live().map(({ id }) => id)).toContain(posted);
    const closed = events.emit('PositionProfileClosed').members['positionProfileId'] ?? '';
    expect(live().map(({ id }) => id)).not.toContain(closed);
    const titles = new Map(live().map(({ id, positionTitle }) => [id, positionTitle]));
    const updated = events.emit('PositionProfileUpdated').members['positionProfileId'] ?? '';
    expect(world.positionProfiles.get(updated)?.positionTitle).not.toBe(titles.get(updated));
    const failed = events.emit('PositionNotPosted').members['seekPartnerPositionId'] ?? '';
    expect((await ask(playground, AD, { id: failed })).data).toEqual({ positionProfile: null });
    const bought = events.emit('CandidateProfilePurchased').members['candidateProfileId'] ?? '';
    expect(world.candidateProfiles.get(bought)).toMatchObject({
      kind: 'purchase',
      createdMs: expect.any(Number),
    });
    const applied = events.emit('CandidateApplicationCreated').members;
    const application = world.candidateProfiles.get(applied['candidateApplicationProfileId'] ?? '');
    expect(
      isLive(world.positionProfiles.get(application?.positionProfileId ?? '') as PostedProfile, clock.now()),
    ).toBe(true);
  });
});
