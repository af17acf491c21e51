import { openPlayground, type Json } from '../support/start-stack.js';
import { PAY_TYPES } from '../../playground/src/data/ontologies.js';
import { isLive, isPosted } from '../../playground/src/data/positions/position-records.js';
import { ask, usePlayground } from './client.js';

const DAY_MS = 86_400_000;

/** Identifiers that public pages show, by the query that finds each. */
const DOCUMENTED = [
  ['hiringOrganization id', 'seekAnzPublicTest:organization:seek:93WyyF1h'],
  ['candidateProfile profileId', 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex'],
  ['candidateProfile profileId', 'seekAnzPublicTest:candidateProfile:apply:7DtW6Q68gk2R4okNGhvg1Y'],
  ['candidateProfile profileId', 'globalPublicTest:candidateProfile:prefill:PoJo9PPLL9wEF6z5nvMP9d'],
  ['candidate documentId', 'seekAnzPublicTest:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM'],
  ['candidate documentId', 'seekAnzPublicTest:candidate:feed:5PGXAHysiXhtA9JUqhyM8hhzMuWMPA'],
  ['candidate documentId', 'globalPublicTest:candidate:uploaded:12uNaG7vqgW6G1jG7qp7ha'],
  ['positionProfile profileId', 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV'],
  ['positionProfile profileId', 'seekAnzPublicTest:positionProfile:jobAd:27cuZeA47'],
  ['applicationQuestionnaire id', 'seekAnzPublicTest:applicationQuestionnaire:rrv2:SqFmkV8S2dMipyqbHjD9Mr'],
  ['applicationQuestionnaire id', 'seekAnzPublicTest:applicationQuestionnaire:rrv2:Jx1Gnnkf8uxhR3TeCkNsSK'],
  ['advertisementBranding id', 'globalPublicTest:advertisementBranding:hirerBranding:37EWfWxhwVEGTT5BcjfE2L'],
  ['advertisementBranding id', 'globalPublicTest:advertisementBranding:hirerBranding:5DU2L2vQsyTXuu9NEUKT3f'],
  ['advertisementBranding id', 'globalPublicTest:advertisementBranding:hirerBranding:9Rw3f4qpkwv4poHjTwdu6K'],
  ['advertisementBranding id', 'globalPublicTest:advertisementBranding:hirerBranding:BYAZKaoXhS9LHFMv5gJ87e'],
  ['event id', 'seekAnzPublicTest:event:events:5cKZnRzXas97fyUAhpiAV1'],
  ['event id', 'seekAnzPublicTest:event:events:WBmJMt4uEbj72ZVMhGi2hS'],
  ['event id', 'seekAnzPublicTest:event:events:KNYEK91zoe8JoZU9iv6853'],
  ['jobCategory id', 'seekAnzPublicTest:jobCategory:seek:2BGarNJkf'],
  ['jobCategory id', 'seekAnzPublicTest:jobCategory:seek:2EFstqFvP'],
  ['jobCategory id', 'seekAnzPublicTest:jobCategory:seek:2FkXR4jWF'],
  ['location id', 'seekAnzPublicTest:location:seek:2FqwWaaMV'],
] as const;

describe('the data of the playground', () => {
  const playground = usePlayground({ size: 100 });

  const ads = () => [...playground.world.positionProfiles.values()].filter(isPosted);

  test.each(DOCUMENTED)('has the %s %s, which public pages show', async (names, id) => {
    const [field, member] = names.split(' ');
    const query = `query($id: String!) { found: ${field}(id: $id) { ${member} { value } } }`;
    const { data, errors } = await ask(playground, query, { id });
    expect([errors, data]).toEqual([undefined, { found: { [member!]: { value: id } } }]);
  });

  test('has more than 200 ads at every point of their life, some under one opening, in every form of pay', () => {
    const nowMs = playground.clock.now();
    const [live, closed] = [
      ads().filter((ad) => isLive(ad, nowMs)),
      ads().filter(({ ad }) => ad.endMs <= nowMs),
    ];
    expect([ads().length > 200, live.length > 50, closed.length > 200]).toEqual([true, true, true]);
    const closedEarly = closed.filter(({ ad }) => ad.endMs - ad.startMs < 30 * DAY_MS);
    expect(closedEarly.length).toBeGreaterThan(10);
    const counts = [...playground.world.openings.values()].map(({ profileIds }) => profileIds.length);
    expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3]));
    const forms = ads().map(
      ({ offeredRemunerationPackage: pay }) => `${pay.basisCode} ${pay.ranges[0]?.intervalCode ?? ''}`,
    );
    expect(new Set(forms)).toEqual(
      new Set(PAY_TYPES.map((form) => `${form.basisCode} ${form.intervalCode}`)),
    );
  });

  test('has people who applied several times, and profiles of every kind', () => {
    const { candidates, candidateProfiles } = playground.world;
    expect(Math.max(...[...candidates.values()].map(({ profileIds }) => profileIds.length))).toBeGreaterThan(
      2,
    );
    const kinds = new Set([...candidateProfiles.values()].map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['application', 'prefill', 'purchase', 'upload']));
    const linkedOut = new Set(
      ads()
        .filter(({ ad }) => ad.applicationUri !== null)
        .map(({ id }) => id),
    );
    expect(linkedOut.size).toBeGreaterThan(5);
    const misplaced = [...candidateProfiles.values()].filter((profile) =>
      linkedOut.has(profile.positionProfileId ?? ''),
    );
    expect(misplaced).toEqual([]);
  });

  test('lists openings with the newest ad first, so that those which are open come before those which are closed', async () => {
    const query = `query($hirerId: String!, $after: String) { positionOpenings(hirerId: $hirerId, first: 20, after: $after) {
      pageInfo { endCursor hasNextPage } edges { node { statusCode } } } }`;
    for (const { hirerId } of playground.demo.hirers.slice(0, 2)) {
      const statuses: string[] = [];
      for (let after: string | null = null; ;) {
        const { positionOpenings } = (await ask(playground, query, { hirerId, after })).data as Json;
        statuses.push(...positionOpenings.edges.map(({ node }: Json) => node.statusCode));
        if (!positionOpenings.pageInfo.hasNextPage) break;
        after = positionOpenings.pageInfo.endCursor;
      }
      expect(statuses.length).toBe(101);
      const order = ['Active', 'Closed', 'Incomplete'];
      expect(statuses).toEqual(statuses.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
    }
  });

  test('has a deleted candidate, who is empty', async () => {
    const deleted = [...playground.world.candidates.values()].find(({ isDeleted }) => isDeleted);
    const query = `query($id: String!) { candidate(id: $id) {
      person { name { formattedName } communication { email { address } phone { formattedNumber } } } profiles { profileId { value } } } }`;
    expect((await ask(playground, query, { id: deleted?.id })).data).toEqual({
      candidate: {
        person: { name: { formattedName: 'redacted' }, communication: { email: [], phone: [] } },
        profiles: [],
      },
    });
  });

  test('serves the images of a branding, without a token', async () => {
    const id = 'globalPublicTest:advertisementBranding:hirerBranding:37EWfWxhwVEGTT5BcjfE2L';
    const query = 'query($id: String!) { advertisementBranding(id: $id) { images { typeCode url } } }';
    const { images } = ((await ask(playground, query, { id })).data as Json).advertisementBranding;
    expect(images.map(({ typeCode }: Json) => typeCode)).toEqual(['OriginalLogo', 'CoverImage']);
    for (const { url } of images) {
      const response = await fetch(url);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'image/svg+xml; charset=utf-8',
      ]);
      expect(await response.text()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*<\/svg>$/);
    }
    const nothing = `${playground.upstreamUrl}/anzPublicTest/brandings/none/logo.svg`;
    expect((await fetch(nothing)).status).toBe(404);
  });

  test('gives what is made after a start an identifier that no other start has given', async () => {
    const told = async () => {
      const other = await openPlayground({ size: 1 });
      const { id } = other.events.emit('CandidateApplicationCreated');
      return id;
    };
    expect(await told()).not.toBe(await told());
  });

  test('is the same for a seed, other for another, and as much as asked for', async () => {
    const start = async (seed: string, size: number) => {
      const other = await openPlayground({ seed, size });
      const [ids, openings] = [[...other.world.candidateProfiles.keys()], other.world.openings.size];
      return { ids, openings };
    };
    const [a, again, b] = [await start('a', 5), await start('a', 5), await start('b', 5)];
    expect(a.ids).toEqual(again.ids);
    expect(a.ids).not.toEqual(b.ids);
    expect(a.openings).toBe(5 * (5 + 1));
    await expect(openPlayground({ size: 0 })).rejects.toThrow(/size/);
  });
});
