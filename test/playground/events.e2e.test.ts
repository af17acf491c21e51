import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { ask, BANKSIA, errorsOf, type GraphqlAnswer } from './client.js';

const EVENTS = `query($s: String!, $first: Int, $last: Int, $after: String, $filter: EventsFilterInput) {
  events(schemeId: $s, first: $first, last: $last, after: $after, filter: $filter) {
    edges { cursor streamDateTime node { id { value } typeCode } } pageInfo { endCursor hasNextPage hasPreviousPage } } }`;

interface Page {
  edges: { cursor: string; streamDateTime: string; node: { id: { value: string }; typeCode: string } }[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
}

describe('the events query and pages in general', () => {
  let playground: Playground;
  beforeAll(async () => {
    playground = await startPlayground({ port: 0 });
  });
  afterAll(() => playground.close());

  const list = async (variables: Record<string, unknown>): Promise<GraphqlAnswer> =>
    ask(playground, EVENTS, { s: 'seekAnzPublicTest', ...variables });
  const page = async (variables: Record<string, unknown>): Promise<Page> =>
    ((await list(variables)).data as unknown as { events: Page }).events;

  test('2.5 pages through all events in ascending stream time, each once', async () => {
    const seen: Page['edges'] = [];
    let after: string | undefined;
    for (let hasNextPage = true; hasNextPage;) {
      const next: Page = await page({ first: 100, ...(after && { after }) });
      seen.push(...next.edges);
      after = next.pageInfo.endCursor ?? undefined;
      hasNextPage = next.pageInfo.hasNextPage;
    }
    expect(seen.length).toBeGreaterThan(1_000);
    expect(new Set(seen.map(({ node }) => node.id.value)).size).toBe(seen.length);
    const times = seen.map(({ streamDateTime }) => Date.parse(streamDateTime));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    playground.events.emit('PositionProfilePosted');
    expect((await page({ first: 100, ...(after && { after }) })).edges).toHaveLength(1);
  });

  test('gives ten by default and keeps the cursor on an empty page', async () => {
    expect((await page({})).edges).toHaveLength(10);
    const { endCursor } = (await page({ last: 1 })).pageInfo;
    expect((await page({ after: endCursor })).pageInfo).toEqual({
      endCursor,
      hasNextPage: false,
      hasPreviousPage: true,
    });
  });

  test.each([
    ['more than the documented maximum', { first: 101 }],
    ['none', { first: 0 }],
    ['first and last together', { first: 1, last: 1 }],
    ['a cursor of its own making', { after: 'bm9uZQ' }],
    ['an unknown scheme', { s: 'nobody' }],
    ['an unknown type', { filter: { eventTypeCodes: ['Nothing'] } }],
    ['deliveredIndicator without a subscription', { filter: { deliveredIndicator: true } }],
  ])('8 refuses a page of %s with BAD_USER_INPUT', async (_what, variables) => {
    expect(errorsOf(await list(variables))).toEqual([['BAD_USER_INPUT', 'events']]);
  });

  test('filters by stream time on the first page only, and by type', async () => {
    const [third, fourth] = (await page({ first: 4 })).edges.slice(2);
    const filter = { afterDateTime: third?.streamDateTime };
    const first = await page({ first: 1, filter });
    expect(first.edges[0]?.cursor).toBe(fourth?.cursor);
    const later = await page({
      first: 1,
      after: third?.cursor,
      filter: { beforeDateTime: third?.streamDateTime },
    });
    expect(later.edges[0]?.cursor).toBe(fourth?.cursor);
    const applications = await page({ filter: { eventTypeCodes: ['CandidateApplicationCreated'] } });
    expect(new Set(applications.edges.map(({ node }) => node.typeCode))).toEqual(
      new Set(['CandidateApplicationCreated']),
    );
  });

  test('lets an event arrive late, behind readers that have passed', async () => {
    const { endCursor } = (await page({ last: 1 })).pageInfo;
    const late = playground.events.emit('PositionProfilePosted', { lateMs: 600_000 });
    expect((await page({ after: endCursor })).edges).toEqual([]);
    const everything = await page({ last: 100 });
    expect(everything.edges.map(({ node }) => node.id.value)).toContain(late.id);
  });

  test('forgets events after 90 days, and takes a reader with an old cursor to the earliest', async () => {
    const [first] = (await page({ first: 1 })).edges;
    playground.clock.skew(30 * 86_400_000);
    const [later] = (await page({ first: 1, after: first?.cursor })).edges;
    expect(later?.node.id.value).toBe((await page({ first: 1 })).edges[0]?.node.id.value);
    expect(later?.node.id.value).not.toBe(first?.node.id.value);
    playground.clock.skew(0);
  });

  test('2.5 gives objects identifiers with a value that begins with a scheme', async () => {
    const query =
      'query($h: String!) { positionOpenings(hirerId: $h) { edges { node { documentId { value } } } } }';
    const answer = await ask(playground, query, { h: BANKSIA });
    expect(JSON.stringify(answer.data)).toMatch(/"documentId":\{"value":"seekAnzPublicTest:positionOpening:/);
  });

  test('makes the same objects from the same seed', async () => {
    const other = await startPlayground({ port: 0 });
    expect([...other.world.candidateProfiles.keys()]).toEqual(
      [...playground.world.candidateProfiles.keys()].slice(0, other.world.candidateProfiles.size),
    );
    expect(other.world.candidateProfiles.size).toBeGreaterThan(2_000);
    expect(other.world.positionProfiles.size).toBeGreaterThan(400);
    await other.close();
  });
});
