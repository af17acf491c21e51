import type { Json } from '../support/ask-token.js';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TRICKY } from './tricky-operations.js';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';

const TRIES = 100;
/** Objects of one kind, so that every way is tried more than once. */
const OBJECTS_MAX = 12;

let folder: string;
let stack: ProxyStack;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'operations-'));
  cpSync('operations', folder, { recursive: true });
  for (const [file, text] of Object.entries(TRICKY)) writeFileSync(join(folder, file), text);
  const ALLOWED_SCOPES =
    'query:organizations query:ontologies query:ad-products query:position-profiles query:advertisement-brandings query:application-questionnaires';
  stack = await startProxyStack({ OPERATIONS_DIR: folder, ALLOWED_SCOPES }, { size: 100 });
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

/** Identifiers of a hirer's objects, by kind. */
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

/** Values for a variable that a check may read differently from the upstream. */
function* disguised(id: string): Generator<unknown> {
  yield [id];
  yield [[id]];
  yield { value: id };
  yield JSON.parse(`{"__proto__":${JSON.stringify(id)}}`);
}

/** Variables besides the known ones, named like members that every object has. */
function* smuggled(id: string): Generator<object> {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    yield JSON.parse(`{"${name}":{"id":${JSON.stringify(id)},"hirerId":${JSON.stringify(id)}}}`) as object;
  }
}

/** Every way we know to ask for an object by its identifier. */
function* waysToAsk(objects: ReturnType<typeof objectsOf>, hirerId: string): Generator<object> {
  for (;;) {
    for (const id of objects.openings) yield { documentId: 'PositionOpening', variables: { id } };
    for (const id of objects.profiles) {
      yield { documentId: 'PositionProfile', variables: { id } };
      yield { documentId: sha256('position-profile'), variables: { id } };
      yield {
        query: 'query ($id: String!) { positionProfile(id: $id) { positionTitle } }',
        variables: { id },
      };
      yield {
        query: `query ($id: String!) { a: positionProfile(id: $id) { ...F } b: positionProfile(id: $id) { x: positionTitle } }
                fragment F on PositionProfile { ... on PostedPositionProfile { positionTitle positionUri } }`,
        variables: { id },
      };
      yield {
        documentId: 'ClosePositionProfile',
        variables: { input: { positionProfile: { profileId: id } } },
      };
      yield { documentId: 'Skipped', variables: { id, x: true } };
      yield { documentId: 'Skipped', variables: { id, x: false } };
      yield { documentId: 'Two', variables: { own: objectsOf(BANKSIA).profiles[0], id } };
      yield { documentId: 'Two', variables: { own: 'none', id } };
      yield {
        extensions: { persistedQuery: { version: 1, sha256Hash: sha256('position-profile').slice(7) } },
        variables: { id },
      };
      for (const value of disguised(id)) {
        yield { documentId: 'PositionProfile', variables: { id: value } };
        yield {
          documentId: 'ClosePositionProfile',
          variables: { input: { positionProfile: { profileId: value } } },
        };
      }
    }
    for (const id of objects.applications) {
      yield { documentId: 'Application', variables: { id } };
      yield { query: `{ candidateProfile(id: ${JSON.stringify(id)}) { profileId { value } } }` };
      const input = { candidateProfile: { profileId: id }, candidateProcessHistoryItem: {} };
      yield { documentId: 'RecordApplicationStep', variables: { input } };
      yield { documentId: 'CandidateProfile', variables: { id } };
      yield { documentId: 'CandidateProcessHistory', variables: { id } };
    }
    for (const id of [...objects.brandings, ...objects.questionnaires]) {
      yield { documentId: 'AdvertisementBranding', variables: { id } };
      yield { documentId: 'ApplicationQuestionnaire', variables: { id } };
      yield {
        query:
          'query ($id: String!) { a: advertisementBranding(id: $id) { name } applicationQuestionnaire(id: $id) { id { value } } }',
        variables: { id },
      };
    }
    yield { documentId: 'PositionOpenings', variables: { hirerId } };
    yield { documentId: 'Hirer', variables: { hirerId } };
    for (const value of disguised(hirerId)) {
      yield { documentId: 'Hirer', variables: { hirerId: value } };
      yield { documentId: 'PositionOpenings', variables: { hirerId: value, first: -1 } };
    }
    for (const variables of smuggled(hirerId)) yield { documentId: 'Hirer', variables };
    yield { documentId: 'PositionOpenings', variables: { hirerId: BANKSIA, after: '', first: -1 } };
    yield {
      query: 'query ($h: String!) { advertisementBrandings(hirerId: $h) { edges { node { name } } } }',
      variables: { h: hirerId },
    };
    yield { query: 'query ($h: String!) { hiringOrganization(id: $h) { name } }', variables: { h: hirerId } };
    yield {
      query:
        'query ($p: AdvertisementProducts_PositionProfileInput!) { advertisementProducts(positionProfile: $p) { products { label } } }',
      variables: {
        p: {
          positionTitle: 'x',
          positionLocation: ['x'],
          jobCategories: ['x'],
          positionOrganizations: [hirerId],
        },
      },
    };
  }
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
  test(`${TRIES} attempts to read objects of another hirer reveal nothing of them`, async () => {
    const foreign = objectsOf(CHAO_PHRAYA);
    expect(Object.values(foreign).map(({ length }) => length > 0)).toEqual([true, true, true, true, true]);
    const ways = waysToAsk(foreign, CHAO_PHRAYA);
    let tries = 0;
    const judge = (answer: Json): void => {
      tries += 1;
      expect(leaves(answer.data ?? null).filter((leaf) => leaf !== null)).toEqual([]);
      expect(JSON.stringify(answer)).not.toContain(CHAO_PHRAYA);
    };
    while (tries < TRIES / 4) judge((await stack.ask(ways.next().value)).body);
    while (tries < TRIES) {
      const items = Array.from({ length: 10 }, () => ways.next().value as object);
      (await stack.ask(items)).body.forEach(judge);
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

  test('a shared answer is cached by language, and is never served to another hirer', async () => {
    const id = [...stack.playground.world.jobCategories.keys()][0]!;
    const ask = (headers: Record<string, string>) =>
      stack.ask({ documentId: 'JobCategory', variables: { id } }, headers);
    const before = stack.calls('graphql');
    const first = await ask({ 'accept-language': 'th-TH' });
    const again = await ask({ 'accept-language': 'th-TH' });
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers['content-language']).toBe('th-TH');
    expect(again.headers['vary']).toContain('Accept-Language, Authorization');
    expect(stack.calls('graphql') - before).toBe(1);
    const english = await ask({ 'accept-language': 'en-AU' });
    expect(english.body.data).not.toEqual(first.body.data);
    await ask({ 'accept-language': 'th-TH', 'x-hirer-id': NUSANTARA });
    expect(stack.calls('graphql') - before).toBe(3);
  });
});
