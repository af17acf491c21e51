import type { Example } from '../../playground/src/pages/examples.js';
import {
  ask,
  BANKSIA,
  browserToken,
  errorsOf,
  NUSANTARA,
  UNRELATED,
  examplesOf,
  usePlayground,
  withMember,
} from './client.js';

const SCHEME = 'seekAnzPublicTest';

describe('a browser token of one hirer', () => {
  const playground = usePlayground({ switches: { mutations: 'stateful' } });
  let examples: Example[];
  beforeAll(async () => {
    examples = examplesOf(playground).filter(({ description }) =>
      description.includes('browser token with the scope'),
    );
  });

  const askAsBanksia = async (query: string, variables: Record<string, unknown>) =>
    ask(playground, query, variables, browserToken(playground));
  const first = <T extends { hirerId: string }>(records: ReadonlyMap<string, T>, hirerId: string): T =>
    [...records.values()].find((record) => record.hirerId === hirerId)!;
  const theirAd = () =>
    [...playground.world.positionProfiles.values()].find(
      ({ hirerId, ad }) => hirerId === NUSANTARA && ad !== null,
    )!;

  test.each([NUSANTARA, UNRELATED])('cannot name %s anywhere', async (hirerId) => {
    const withHirer = examples.filter(({ variables }) => JSON.stringify(variables).includes(BANKSIA));
    expect(withHirer.length).toBeGreaterThanOrEqual(8);
    for (const { name, query, variables } of withHirer) {
      const changed = JSON.parse(JSON.stringify(variables).replaceAll(BANKSIA, hirerId));
      const answer = await askAsBanksia(query, changed);
      expect([name, errorsOf(answer)]).toEqual([name, [['FORBIDDEN', name]]]);
    }
  });

  test.each([
    ['locationSuggestions', { schemeId: SCHEME, text: 'syd', usageTypeCode: 'PositionPosting' }],
    ['inferLocation', { schemeId: SCHEME, address: { formattedAddress: 'Sydney NSW 2000' } }],
  ])('gets %s for its own hirer and for no other', async (name, variables) => {
    const types =
      name === 'inferLocation'
        ? '$address: SeekPositionAddressInput!'
        : '$text: String!, $usageTypeCode: String!';
    const passed =
      name === 'inferLocation' ? 'address: $address' : 'text: $text, usageTypeCode: $usageTypeCode';
    const query = `query($schemeId: String!, $hirerId: String, ${types}) { ${name}(schemeId: $schemeId, hirerId: $hirerId, ${passed}) { __typename } }`;
    expect((await askAsBanksia(query, { ...variables, hirerId: BANKSIA })).errors).toBeUndefined();
    const answer = await askAsBanksia(query, { ...variables, hirerId: NUSANTARA });
    expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', field: 'hirerId' } }]);
  });

  test('reads no object of another hirer by its identifier', async () => {
    const { world } = playground;
    const reads: [field: string, id: string][] = [
      ['advertisementBranding', first(world.brandings, NUSANTARA).id],
      ['applicationQuestionnaire', first(world.questionnaires, NUSANTARA).id],
      ['positionProfile', theirAd().id],
      ['hiringOrganization', NUSANTARA],
    ];
    for (const [field, id] of reads) {
      const answer = await askAsBanksia(`query($id: String!) { ${field}(id: $id) { __typename } }`, { id });
      expect([field, answer.data, errorsOf(answer)]).toEqual([
        field,
        { [field]: null },
        [['FORBIDDEN', field]],
      ]);
    }
  });

  test('is suggested questions of the library, and none of a questionnaire of any hirer', async () => {
    const { query, variables } = examples.find(
      ({ name }) => name === 'applicationLibraryQuestionSuggestions',
    )!;
    const answer = await askAsBanksia(query, variables);
    const text = JSON.stringify(answer.data);
    expect(text).toContain('applicationLibraryQuestionSuggestion:');
    const own = [...playground.world.questionnaires.values()].flatMap(({ components }) => components);
    expect(own.filter(({ id }) => text.includes(id))).toEqual([]);
  });

  test.each([
    ['a live ad', 'seekAnzHirerAdvertisementModificationProducts', 'advertisementId'],
    ['a live ad', 'advertisementProducts', 'positionProfile.profileId'],
    ['a live ad', 'postedPositionProfilePreview', 'positionProfile.profileId'],
    ['a branding', 'postedPositionProfilePreview', 'positionProfile.postingInstructions[0].brandingId'],
    ['a questionnaire', 'postedPositionProfilePreview', 'positionProfile.seekApplicationQuestionnaireId'],
  ])('cannot use %s of another hirer in %s, nor learn that it exists', async (what, name, field) => {
    const { world } = playground;
    const theirs = { 'a live ad': theirAd().id, 'a branding': first(world.brandings, NUSANTARA).id }[what];
    const id = theirs ?? first(world.questionnaires, NUSANTARA).id;
    const example = examples.find((one) => one.name === name)!;
    const refusals = [];
    for (const value of [id, `${id}none`]) {
      const variables = withMember(example.variables, field, value);
      refusals.push((await askAsBanksia(example.query, variables)).errors);
    }
    expect(refusals[0]).toMatchObject([{ path: [name], extensions: { code: 'BAD_USER_INPUT', field } }]);
    expect(refusals[0]).toEqual(refusals[1]);
  });

  test('sees its own hirer in lists', async () => {
    const query =
      'query($s: String!) { hiringOrganizations(schemeId: $s) { edges { node { id { value } } } } }';
    const answer = await askAsBanksia(query, { s: SCHEME });
    expect(answer.data).toEqual({ hiringOrganizations: { edges: [{ node: { id: { value: BANKSIA } } }] } });
  });
});
