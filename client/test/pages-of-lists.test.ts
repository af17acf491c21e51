import { cursorPages, pages, request, type Bff, type SendOptions } from '../src/client.js';
import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { useStack } from '../../test/support/start-stack.js';
import { openPage } from './page.js';

jest.setTimeout(60_000); // a thousand items

const LIMIT = 20;

const stack = useStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '0' });
let ids: string[];
beforeAll(() => {
  const known = [...stack.playground.world.locations.keys()];
  ids = Array.from({ length: 1_000 }, (_, at) => known[at % known.length]!);
});
afterEach(() => stack.playground.faults.clear());

interface Location {
  readonly id: { readonly value: string };
}

/** The identifiers of the locations with these identifiers, asked for in one operation. */
async function loadLocations(bff: Bff, ids: readonly string[], options?: SendOptions): Promise<string[]> {
  const declared = ids.map((_, at) => `$id${at}: String!`).join(', ');
  const fields = ids.map((_, at) => `item${at}: location(id: $id${at}) { id { value } }`).join(' ');
  const operation = {
    query: `query (${declared}) { ${fields} }`,
    variables: Object.fromEntries(ids.map((id, at) => [`id${at}`, id])),
  };
  const found = await request<Record<string, Location>, object>(bff, operation, options);
  return Object.values(found).map(({ id }) => id.value);
}

describe('pages', () => {
  const load = (bff: Bff, items = ids, signal?: AbortSignal) =>
    pages(bff, {
      items,
      limit: LIMIT,
      signal,
      load: (page, options) => loadLocations(bff, page, options),
    });
  /** Reads to the end, or to an error; what came stays in `shown`. */
  const read = async (run: ReturnType<typeof load>, shown: string[], onPage = (): void => undefined) => {
    for await (const page of run) {
      shown.push(...page);
      onPage();
    }
  };

  test('of 1,000 items whose seventh page fails are six, and go on with the rest, none twice', async () => {
    const { bff } = openPage(stack);
    await bff.getAuthToken();
    stack.playground.faults.add({ route: 'graphql', after: 6, status: 503 });
    const shown: string[] = [];
    await expect(read(load(bff), shown)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(shown).toEqual(ids.slice(0, 6 * LIMIT));
    await read(load(bff, ids.slice(shown.length)), shown);
    expect(shown).toEqual(ids);
  });

  test('go on when the token expires in the middle', async () => {
    const { bff, sent } = openPage(stack);
    const shown: string[] = [];
    await read(load(bff), shown, () => {
      if (shown.length === 10 * LIMIT) stack.playground.tokens.expire({ kind: 'browser' });
    });
    expect(shown).toEqual(ids);
    expect(sent('/auth/token')).toBe(2);
  });

  test('of one hirer do not go on at another, nor when it is the current one again', async () => {
    const { bff } = openPage(stack);
    const [shown, late]: string[][] = [[], []];
    const begun = load(bff);
    await expect(read(load(bff), shown!, () => bff.switchHirer(NUSANTARA))).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    });
    bff.switchHirer(BANKSIA);
    await expect(read(begun, late!)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    expect([shown, late]).toEqual([ids.slice(0, LIMIT), []]);
  });

  test('can be aborted', async () => {
    const controller = new AbortController();
    const shown: string[] = [];
    const reading = read(load(openPage(stack).bff, ids, controller.signal), shown, () => controller.abort());
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(shown).toEqual(ids.slice(0, LIMIT));
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
});
