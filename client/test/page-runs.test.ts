import { cursorPages, fieldBatch, pages, request, type FieldResult } from '../src/client.js';
import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { openPage } from './page.js';

jest.setTimeout(60_000); // a thousand items

const LIMIT = 20;
const LOCATION = {
  field: 'location',
  arguments: { id: 'String!' },
  selection: '{ id { value } contextualName }',
};
interface Location {
  readonly id: { readonly value: string };
  readonly contextualName: string;
}

let stack: Stack;
let ids: string[];
beforeAll(async () => {
  stack = await startStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0' });
  const known = [...stack.playground.world.locations.keys()];
  ids = Array.from({ length: 1_000 }, (_, at) => known[at % known.length]!);
});
afterAll(() => stack.close());
afterEach(() => stack.playground.faults.clear());

describe('a page run', () => {
  const load = (bff: Parameters<typeof fieldBatch>[0], signal?: AbortSignal) =>
    pages(bff, {
      items: ids,
      limit: LIMIT,
      load: (page, options) =>
        fieldBatch<Location>(
          bff,
          LOCATION,
          page.map((id) => ({ id })),
          options,
        ),
      ...(signal && { signal }),
    });
  const idsOf = (page: readonly FieldResult<Location>[]): string[] => page.map(({ data }) => data!.id.value);

  test('of 1,000 items whose seventh page fails shows six, and goes on with the rest, none twice', async () => {
    const { bff } = openPage(stack);
    await bff.getAuthToken();
    stack.playground.faults.add({ route: 'graphql', after: 6, status: 503 });
    const run = load(bff);
    const shown: string[] = [];
    const show = async (): Promise<void> => {
      for await (const page of run) shown.push(...idsOf(page));
    };
    await expect(show()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(shown).toEqual(ids.slice(0, 6 * LIMIT));
    expect(run.arrived).toHaveLength(6);
    await show();
    expect(shown).toEqual(ids);
  });

  test('goes on when the token expires in the middle', async () => {
    const { bff, sent } = openPage(stack);
    const shown: string[] = [];
    for await (const page of load(bff)) {
      if (shown.length === 10 * LIMIT) stack.playground.tokens.expire({ kind: 'browser' });
      shown.push(...idsOf(page));
    }
    expect(shown).toEqual(ids);
    expect(sent('/auth/token')).toBe(2);
  });

  test('of one hirer does not go on at another', async () => {
    const { bff } = openPage(stack);
    const run = load(bff);
    const read = async (): Promise<void> => {
      for await (const page of run) {
        if (page.length > 0 && run.arrived.length === 2) bff.switchHirer(NUSANTARA);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    bff.switchHirer(BANKSIA);
    await expect(read()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect(run.arrived).toHaveLength(2);
  });

  test('can be aborted, and keeps what came', async () => {
    const { bff } = openPage(stack);
    const controller = new AbortController();
    const run = load(bff, controller.signal);
    const read = async (): Promise<void> => {
      for await (const { length } of run) if (length > 0 && run.arrived.length === 3) controller.abort();
    };
    await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
    expect(run.arrived.flatMap(idsOf)).toEqual(ids.slice(0, 3 * LIMIT));
  });

  test('follows a cursor to its end, without an argument for the first page', async () => {
    const { bff } = openPage(stack);
    interface Openings {
      readonly positionOpenings: {
        readonly edges: { node: { documentId: { value: string } } }[];
        readonly pageInfo: { endCursor: string | null; hasNextPage: boolean };
      };
    }
    const run = cursorPages(bff, async (after, options) => {
      const operation = { documentId: 'PositionOpenings', variables: { first: 7, after } };
      return (await request<Openings, object>(bff, operation, options)).positionOpenings;
    });
    const seen: string[] = [];
    for await (const { edges } of run) seen.push(...edges.map(({ node }) => node.documentId.value));
    const owned = [...stack.playground.world.openings.values()].filter(({ hirerId }) => hirerId === BANKSIA);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(owned.length);
  });

  test('an item that fails alone leaves the others of its page', async () => {
    const { bff } = openPage(stack);
    const page = await fieldBatch<Location>(bff, LOCATION, [
      { id: ids[0] },
      { id: 'not-an-id' },
      { id: ids[1] },
    ]);
    expect([page[0]!.data?.id.value, page[2]!.data?.id.value]).toEqual([ids[0], ids[1]]);
    expect(page[1]!.data).toBeNull();
  });
});
