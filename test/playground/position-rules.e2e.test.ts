import type { Json } from '../support/start-stack.js';
import { ask, exampleOf, MELBOURNE, usePlayground, withMember } from './client.js';

const NOW = Date.UTC(2030, 0, 1);
const DAY_MS = 86_400_000;
const SCHEME = 'seekAnzPublicTest';
const days = (count: number): string => new Date(NOW + count * DAY_MS).toISOString();

const playground = usePlayground({ clock: () => NOW, switches: { mutations: 'stateful' } });
afterEach(() => playground.clock.skew(0));

/** The example of a mutation, changed, and what follows from it after a while. */
async function mutate(name: string, change: (input: Json) => void = () => undefined) {
  const example = exampleOf(playground, name);
  const variables = structuredClone(example.variables) as Json;
  change(variables.input);
  const answer = await ask(playground, example.query, variables);
  const { clock } = playground;
  const skewMs = clock.skewedByMs;
  clock.advance(5_000);
  clock.skew(skewMs);
  return { errors: answer.errors, payload: (answer.data as Json)?.[name] };
}

/** Posts an ad with an idempotencyId of its own. */
let posted = 0;
async function post(change: (profile: Json) => void = () => undefined) {
  return mutate('postPosition', ({ positionProfile }) => {
    positionProfile.postingInstructions[0].idempotencyId = `ad-${String(posted++)}`;
    change(positionProfile);
  });
}

describe('an ad is refused with the field at fault', () => {
  const PAY = 'offeredRemunerationPackage';
  const POSTING = 'postingInstructions[0]';

  test.each<[what: string, field: string, value: unknown]>([
    [
      'two categories',
      'jobCategories',
      [`${SCHEME}:jobCategory:seek:3JsXt8PdY`, `${SCHEME}:jobCategory:seek:2cdSPDcy5`],
    ],
    ['no category', 'jobCategories', []],
    ['two locations', 'positionLocation', [MELBOURNE, MELBOURNE]],
    ['an unknown location', 'positionLocation[0]', `${SCHEME}:location:seek:none`],
    ['no work type', 'seekAnzWorkTypeCode', undefined],
    ['an end after 31 days', `${POSTING}.end`, days(31)],
    ['an end in the past', `${POSTING}.end`, days(-1)],
    ['a title of 81 characters', 'positionTitle', 'x'.repeat(81)],
    ['a blank title', 'positionTitle', ' '],
    ['a billing reference of 41 characters', 'seekBillingReference', 'x'.repeat(41)],
    ['metadata of 1,001 characters', 'seekPartnerMetadata', 'x'.repeat(1_001)],
    ['an unknown basis', `${PAY}.basisCode`, 'CommissionOnly'],
    ['an interval of another basis', `${PAY}.ranges[0].intervalCode`, 'Hour'],
    ['an unknown currency', `${PAY}.ranges[0].minimumAmount.currency`, 'XXX'],
    ['two currencies', `${PAY}.ranges[0].maximumAmount.currency`, 'NZD'],
    ['a minimum of nothing', `${PAY}.ranges[0].minimumAmount.value`, 0],
    ['an unknown description', 'positionFormattedDescriptions[0].descriptionId', 'Poem'],
    ['a summary of 151 characters', 'positionFormattedDescriptions[1].content', 'x'.repeat(151)],
    ['an unknown type of ad', `${POSTING}.seekAnzAdvertisementType`, 'Gold'],
    ['a branding nobody has', `${POSTING}.brandingId`, 'none'],
    ['a questionnaire nobody has', 'seekApplicationQuestionnaireId', 'none'],
    ['a schedule', 'positionScheduleTypeCodes', ['FullTime']],
  ])('%s: %s', async (_what, field, value) => {
    await expectRefused(field, (profile) => Object.assign(profile, withMember(profile, field, value)));
  });

  test.each<[what: string, field: string, change: (profile: Json) => void]>([
    ['two ranges of pay', `${PAY}.ranges`, (p) => p[PAY].ranges.push(p[PAY].ranges[0])],
    ['no summary', 'positionFormattedDescriptions', (p) => p.positionFormattedDescriptions.pop()],
    [
      'no product',
      `${POSTING}.seekAdvertisementProductId`,
      (p) => delete p.postingInstructions[0].seekAnzAdvertisementType,
    ],
    [
      'two posting instructions',
      'postingInstructions',
      (p) => p.postingInstructions.push(p.postingInstructions[0]),
    ],
  ])('%s: %s', (_what, field, change) => expectRefused(field, change));

  async function expectRefused(field: string, change: (profile: Json) => void): Promise<void> {
    const before = playground.world.positionProfiles.size;
    const { errors } = await post(change);
    const path = `input.positionProfile.${field}`;
    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', field: path }, message: expect.stringContaining(path) },
    ]);
    expect(playground.world.positionProfiles.size).toBe(before);
  }

  test('30 days and 40 characters are accepted', async () => {
    const { errors } = await post((profile) => {
      profile.postingInstructions[0].end = days(30);
      profile.seekHirerJobReference = 'x'.repeat(40);
      profile.seekBillingReference = 'x'.repeat(40);
    });
    expect(errors).toBeUndefined();
  });
});

describe('ads and their openings', () => {
  const AD = `query($id: String!) { positionProfile(id: $id) { positionTitle positionOpening { documentId { value } statusCode } postingInstructions { end } } }`;
  const read = async (id: string): Promise<Json> =>
    (await ask(playground, AD, { id })).data?.['positionProfile'];
  const idOf = ({ payload }: { payload: Json }): string => payload.positionProfile.profileId.value;
  const close = async (id: string) =>
    mutate('closePostedPositionProfile', (input) => (input.positionProfile.profileId = id));
  const update = async (id: string, change: (profile: Json) => void = () => undefined) =>
    mutate('updatePostedPositionProfile', (input) => {
      input.positionProfile.profileId = id;
      change(input.positionProfile);
    });
  /** Applications go to a form elsewhere. */
  const linkOut = (profile: Json): void => {
    profile.postingInstructions[0].applicationMethods = [
      { applicationUri: { url: 'https://hirer.example/apply' } },
    ];
  };

  test('the same idempotencyId again is a conflict that names what the first call posted', async () => {
    const change = (profile: Json) => (profile.postingInstructions[0].idempotencyId = 'again');
    const first = await post(change);
    const second = await post(change);
    expect(second.payload).toEqual({
      __typename: 'PostPositionPayload_Conflict',
      conflictingPositionOpening: first.payload.positionOpening,
      conflictingPositionProfile: first.payload.positionProfile,
    });
  });

  test('an opening stays active until its last ad is closed', async () => {
    const first = idOf(await post());
    const openingId = (await read(first)).positionOpening.documentId.value;
    const second = idOf(
      await mutate('postPositionProfileForOpening', ({ positionProfile }) => {
        positionProfile.positionOpeningId = openingId;
      }),
    );
    await close(first);
    expect((await read(second)).positionOpening.statusCode).toBe('Active');
    await close(second);
    expect((await read(second)).positionOpening.statusCode).toBe('Closed');
  });

  test('a closed ad can be neither updated nor closed again', async () => {
    const id = idOf(await post());
    await close(id);
    for (const again of [await update(id), await close(id)]) {
      expect(again.payload).toBeNull();
      expect(again.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    }
    expect((await read(id)).positionTitle).toBe('Registered Nurse');
  });

  test('an ad that has reached its end counts as closed', async () => {
    const id = idOf(await post());
    playground.clock.skew(30 * DAY_MS);
    expect((await update(id)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  test('an update keeps the end, and cannot change where people apply', async () => {
    const id = idOf(await post((profile) => (profile.postingInstructions[0].end = days(7))));
    expect((await update(id)).errors).toBeUndefined();
    expect((await read(id)).postingInstructions).toEqual([{ end: days(7) }]);
    const { errors } = await update(id, linkOut);
    const field = 'input.positionProfile.postingInstructions[0].applicationMethods';
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field } }]);
  });

  test('an ad that leads to another form takes no questionnaire and no applications on the job board', async () => {
    const field = 'input.positionProfile.seekApplicationQuestionnaireId';
    expect((await post(linkOut)).errors).toMatchObject([{ extensions: { field } }]);
    const id = idOf(
      await post((profile) => (linkOut(profile), delete profile.seekApplicationQuestionnaireId)),
    );
    const query = `query($id: String!) { positionProfile(id: $id) { ... on PostedPositionProfile { seekApplicationUri { url } } postingInstructions { applicationMethods { applicationUri { url } } } } }`;
    expect((await ask(playground, query, { id })).data).toEqual({
      positionProfile: {
        seekApplicationUri: null,
        postingInstructions: [
          { applicationMethods: [{ applicationUri: { url: 'https://hirer.example/apply' } }] },
        ],
      },
    });
  });

  test('an opening takes 25 profiles and no more', async () => {
    const opening = await mutate('createPositionOpening');
    const openingId = opening.payload.positionOpening.documentId.value;
    const add = async () =>
      mutate(
        'createUnpostedPositionProfileForOpening',
        (input) => (input.positionProfile.positionOpeningId = openingId),
      );
    for (let count = 0; count < 25; count++) expect((await add()).errors).toBeUndefined();
    const field = 'input.positionProfile.positionOpeningId';
    expect((await add()).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field } }]);
  });
});
