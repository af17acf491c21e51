import { pageOf, type PageArgs } from './paging.js';

const letters = ['a', 'b', 'c', 'd', 'e'];
const rules = { sizeMax: 3, keyOf: (letter: string) => letter, node: (letter: string) => ({ letter }) };

function read(args: PageArgs): { text: string; next: boolean; previous: boolean; end: string | null } {
  const { edges, pageInfo } = pageOf(letters, args, rules) as {
    edges: { node: () => { letter: string } }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
  };
  const text = edges.map(({ node }) => node().letter).join('');
  return { text, next: pageInfo.hasNextPage, previous: pageInfo.hasPreviousPage, end: pageInfo.endCursor };
}

const cursorOf = (letter: string): string => Buffer.from(`c1:${letter}`).toString('base64url');

describe('pageOf', () => {
  it.each<[PageArgs, string, boolean, boolean]>([
    [{ first: 2 }, 'ab', true, false],
    [{ first: 3, after: cursorOf('b') }, 'cde', false, true],
    [{ last: 2 }, 'de', false, true],
    [{ last: 1, before: cursorOf('c') }, 'b', true, true],
    [{ first: 3, after: cursorOf('e') }, '', false, true],
    [{ first: 3, after: cursorOf('d'), before: cursorOf('b') }, '', true, true],
  ])('cuts the page of %j', (args, text, next, previous) => {
    expect(read(args)).toMatchObject({ text, next, previous });
  });

  test('keeps the cursor of an empty page', () => {
    expect(read({ first: 1, after: cursorOf('e') }).end).toBe(cursorOf('e'));
  });

  it.each<PageArgs>([
    { first: 4 },
    { first: 0 },
    { first: 1, last: 1 },
    { first: 1, after: 'x' },
    { first: 1, after: cursorOf('z') },
  ])('refuses %j', (args) => {
    expect(() => read(args)).toThrow();
  });
});
