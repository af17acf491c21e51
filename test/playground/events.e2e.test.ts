import { openPlayground, type Json } from '../support/start-stack.js';
import { EVENT_TYPES, type EventType } from '../../playground/src/data/records.js';
import { ask, BANKSIA, errorsOf, NUSANTARA, type GraphqlAnswer, usePlayground } from './client.js';

const EVENTS = `query($s: String!, $first: Int, $last: Int, $after: String, $before: String, $filter: EventsFilterInput) {
  events(schemeId: $s, first: $first, last: $last, after: $after, before: $before, filter: $filter) {
    edges { cursor streamDateTime node { id { value } typeCode } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`;

interface Page {
  edges: { cursor: string; streamDateTime: string; node: { id: { value: string }; typeCode: string } }[];
  pageInfo: Record<'startCursor' | 'endCursor', string | null> & { hasNextPage: boolean };
}

describe('the events query and pages in general', () => {
  const playground = usePlayground({ size: 100 });

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

  test('gives a reader what comes after its cursor, in the same millisecond too', async () => {
    const still = await openPlayground({ clock: () => 1_800_000_000_000 });
    const read = async (variables: object): Promise<Page> =>
      ((await ask(still, EVENTS, { s: 'seekAnzPublicTest', ...variables })).data as Json).events;
    for (let made = 0; made < 5; made += 1) {
      const { endCursor } = (await read({ last: 1 })).pageInfo;
      const { id } = still.events.emit('PositionProfileUpdated');
      expect((await read({ after: endCursor })).edges.map(({ node }) => node.id.value)).toEqual([id]);
    }
  });

  test('gives ten by default and keeps the cursor on an empty page', async () => {
    expect((await page({})).edges).toHaveLength(10);
    const { endCursor } = (await page({ last: 1 })).pageInfo;
    expect((await page({ after: endCursor })).pageInfo).toEqual({
      startCursor: endCursor,
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

  test('keeps the last event before a cursor that a filter leaves out', async () => {
    const emit = (type: EventType) => playground.events.emit(type, { hirerId: BANKSIA });
    const wanted = emit('PositionProfilePosted');
    playground.clock.skew(1_000);
    emit('PositionProfileClosed');
    const { startCursor } = (await page({ last: 1 })).pageInfo;
    const filter = { eventTypeCodes: ['PositionProfilePosted'] };
    const earlier = await page({ last: 1, before: startCursor, filter });
    expect(earlier.edges.map(({ node }) => node.id.value)).toEqual([wanted.id]);
    playground.clock.skew(0);
  });

  test('refuses a cursor of another list', async () => {
    const openings =
      'query($h: String!) { positionOpenings(hirerId: $h, first: 1) { pageInfo { endCursor } } }';
    const answer = await ask(playground, openings, { h: BANKSIA });
    const after = (answer.data as Json).positionOpenings.pageInfo.endCursor;
    expect((await list({ after })).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', field: 'after' } },
    ]);
  });

  test('states the identifiers of an event as plain text, and names a hirer for a changed relationship only', async () => {
    const typed = `query($id: String!) { event(id: $id) { __typename
      ... on CandidateApplicationCreatedEvent { candidateId candidateApplicationProfileId }
      ... on CandidateProfilePurchasedEvent { candidateProfileId }
      ... on HirerRelationshipChangedEvent { hirerId }
      ... on PositionProfilePostedEvent { positionProfileId }
      ... on PositionProfileUpdatedEvent { positionProfileId }
      ... on PositionProfileClosedEvent { positionProfileId }
      ... on PositionNotPostedEvent { reasonId seekPartnerPositionId } } }`;
    for (const type of EVENT_TYPES) {
      const { id, members } = playground.events.emit(type, { hirerId: BANKSIA });
      const answer = await ask(playground, typed, { id });
      expect(answer.data).toEqual({ event: { __typename: `${type}Event`, ...members } });
      const hirer = await ask(
        playground,
        `query($id: String!) { event(id: $id) { ... on ${type}Event { hirer { id { value } } } } }`,
        { id },
      );
      const isNamed = hirer.errors === undefined;
      expect([type, isNamed]).toEqual([type, type === 'HirerRelationshipChanged']);
    }
  });

  test('reads the hirer of an application through its position, and nothing once the relationship is gone', async () => {
    const { id } = playground.events.emit('CandidateApplicationCreated', { hirerId: NUSANTARA });
    const query = `query($id: String!) { event(id: $id) { ... on CandidateApplicationCreatedEvent {
      candidateApplicationProfile { associatedPositionProfile { positionOrganizations { id { value } } } } } } }`;
    const through = { positionOrganizations: [{ id: { value: NUSANTARA } }] };
    expect((await ask(playground, query, { id })).data).toEqual({
      event: { candidateApplicationProfile: { associatedPositionProfile: through } },
    });
    playground.events.emit('HirerRelationshipChanged', { hirerId: NUSANTARA, relationships: [] });
    const answer = await ask(playground, query, { id });
    expect(answer.data).toEqual({ event: { candidateApplicationProfile: null } });
    expect(errorsOf(answer)).toEqual([['FORBIDDEN', 'event.candidateApplicationProfile']]);
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
});
