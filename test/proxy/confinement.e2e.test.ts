import { folderOf } from '../support/machine.js';
import type { Json } from '../support/start-stack.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TRICKY, BANKSIA, CHAO_PHRAYA, useProxyStack } from './proxy-stack.js';
/** Objects of one kind, so that every way is tried more than once. */
const OBJECTS_MAX = 12;

const settings = {
  OPERATIONS_DIR: `shipped ${folderOf(TRICKY)}`,
  ALLOWED_SCOPES:
    'query:organizations query:ontologies query:ad-products query:position-profiles query:advertisement-brandings query:application-questionnaires',
};
const stack = useProxyStack(() => settings, { size: 100 });

function objectsOf(hirerId: string) {
  const { world } = stack.playground;
  const idsOf = (records: Iterable<{ id: string; hirerId: string }>): string[] =>
    [...records]
      .filter((record) => record.hirerId === hirerId)
      .map(({ id }) => id)
      .slice(0, OBJECTS_MAX);
  return {
    openings: idsOf(world.openings.values()),
    profiles: idsOf(world.positionProfiles.values()),
    applications: idsOf(
      [...world.candidateProfiles.values()].filter(({ positionProfileId }) => positionProfileId !== null),
    ),
    brandings: idsOf(world.brandings.values()),
    questionnaires: idsOf(world.questionnaires.values()),
  };
}

const sha256 = (file: string): string =>
  `sha256:${createHash('sha256')
    .update(readFileSync(`operations/${file}.graphql`))
    .digest('hex')}`;

/** Ways to ask for objects of another hirer, by what each tries. */
function attacks(objects: ReturnType<typeof objectsOf>, hirerId: string): Record<string, object> {
  const [id, application] = [objects.profiles[0]!, objects.applications[0]!];
  const byId = 'query ($id: String!)';
  const named = (documentId: string, variables: object): object => ({ documentId, variables });
  const close = (profileId: unknown) =>
    named('ClosePositionProfile', { input: { positionProfile: { profileId } } });
  const parsed = (text: string): object => JSON.parse(text) as object;
  return {
    'by its name': named('PositionProfile', { id }),
    'by its hash': named(sha256('position-profile'), { id }),
    'by a persisted query': {
      extensions: { persistedQuery: { version: 1, sha256Hash: sha256('position-profile').slice(7) } },
      variables: { id },
    },
    'an application': named('Application', { id: application }),
    'a mutation': close(id),
    'a mutation of an application': named('RecordApplicationStep', {
      input: { candidateProfile: { profileId: application }, candidateProcessHistoryItem: {} },
    }),
    'a text': { query: `${byId} { positionProfile(id: $id) { positionTitle } }`, variables: { id } },
    'a text with aliases and fragments': {
      query: `${byId} { a: positionProfile(id: $id) { ...F } b: positionProfile(id: $id) { x: positionTitle } }
        fragment F on PositionProfile { ... on PostedPositionProfile { positionTitle positionUri } }`,
      variables: { id },
    },
    'a text with the identifier in it': {
      query: `{ candidateProfile(id: ${JSON.stringify(application)}) { profileId { value } } }`,
    },
    'objects of two kinds at once': {
      query: `${byId} { a: advertisementBranding(id: $id) { name } applicationQuestionnaire(id: $id) { id { value } } }`,
      variables: { id: objects.brandings[0] },
    },
    'the proof left out': named('Skipped', { id, x: true }),
    'beside an own object': named('Two', { own: objectsOf(BANKSIA).profiles[0], id }),
    'beside none': named('Two', { own: 'none', id }),
    'in a list': named('PositionProfile', { id: [id] }),
    'in an object': close({ value: id }),
    'below __proto__': named('PositionProfile', { id: parsed(`{"__proto__":"${id}"}`) }),
    'another hirer for the bound one': named('PositionOpenings', { hirerId, first: -1 }),
    'a list of hirers': named('Hirer', { hirerId: [hirerId] }),
    ...Object.fromEntries(
      ['__proto__', 'constructor', 'toString'].map((name) => [
        `a variable ${name}`,
        named('Hirer', parsed(`{"${name}":{"id":"${hirerId}","hirerId":"${hirerId}"}}`)),
      ]),
    ),
    'the hirer in a text': {
      query: 'query ($h: String!) { hiringOrganization(id: $h) { name } }',
      variables: { h: hirerId },
    },
  };
}

/** The URL of a hirer's file, as the upstream gives it to the partner. */
function fileUrl(hirerId: string): string {
  const { world, upstreamUrl } = stack.playground;
  const { id, profileId } = [...world.attachments.values()].find((one) => one.hirerId === hirerId)!;
  const lastPart = (whole: string): string => whole.split(':').at(-1)!;
  return `${upstreamUrl}/anzPublicTest/applications/${lastPart(profileId)}/attachments/${lastPart(id)}`;
}

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
}

describe('confinement to the hirer', () => {
  test('attempts to read objects of another hirer reveal nothing of them, alone and in arrays', async () => {
    const ways = attacks(objectsOf(CHAO_PHRAYA), CHAO_PHRAYA);
    const items = Object.values(ways);
    const alone = await Promise.all(items.map(async (item) => (await stack.ask(item)).body));
    const arrays = await Promise.all(
      [0, 10, 20].map(async (from) => (await stack.ask(items.slice(from, from + 10))).body as Json[]),
    );
    for (const answers of [alone, arrays.flat()]) {
      const shown = Object.keys(ways).filter((_, at) =>
        leaves(answers[at].data ?? null).some((leaf) => leaf !== null),
      );
      expect(shown).toEqual([]);
      expect(JSON.stringify(answers)).not.toContain(CHAO_PHRAYA);
    }
  });

  test('the same requests read the objects of the own hirer', async () => {
    const own = objectsOf(BANKSIA);
    const [opening, profile, application] = [own.openings[0]!, own.profiles[0]!, own.applications[0]!];
    const { body } = await stack.ask([
      { documentId: 'PositionOpening', variables: { id: opening } },
      { documentId: sha256('position-profile'), variables: { id: profile } },
      { documentId: 'Application', variables: { id: application } },
      { documentId: 'PositionOpenings', variables: { hirerId: BANKSIA, first: 1 } },
      { documentId: 'Hirer' },
      { documentId: 'Skipped', variables: { id: profile, x: false } },
      { documentId: 'Skipped', variables: { id: profile, x: true } },
      { documentId: 'Two', variables: { own: profile, id: profile } },
    ]);
    expect(body[5].data.positionProfile.positionOrganizations[0].id.value).toBe(BANKSIA);
    expect([body[6].errors[0].extensions.code, body[6].data]).toEqual(['FORBIDDEN', undefined]);
    expect(body[7].data.other.positionTitle).toEqual(expect.any(String));
    expect(body[0].data.positionOpening.documentId.value).toBe(opening);
    expect(body[1].data.positionProfile.profileId.value).toBe(profile);
    expect(body[2].data.candidateProfile.profileId.value).toBe(application);
    expect(body[3].data.positionOpenings.edges).toHaveLength(1);
    expect(body[4].data.hiringOrganization.id.value).toBe(BANKSIA);
  });

  test("the URL of another hirer's file in a text that is not an attachment opens nothing", async () => {
    const { world } = stack.playground;
    const foreign = fileUrl(CHAO_PHRAYA);
    const names = world.hirers.get(BANKSIA) as { name: string };
    const ownName = names.name;
    names.name = foreign;
    try {
      const [opening, profile] = [objectsOf(BANKSIA).openings[0]!, objectsOf(BANKSIA).profiles[0]!];
      const { body, text } = await stack.ask([
        { documentId: 'Hirer' },
        { documentId: 'PositionOpening', variables: { id: opening } },
        { documentId: 'PositionProfile', variables: { id: profile } },
      ]);
      expect(body[0].data.hiringOrganization.name).toBe(foreign);
      expect(body[1].data.positionOpening.postingRequester.name).toBe(foreign);
      expect(body[2].data.positionProfile.positionOrganizations[0].name).toBe(foreign);
      expect(text).not.toContain('"/attachments/');
    } finally {
      names.name = ownName;
    }
  });
});
