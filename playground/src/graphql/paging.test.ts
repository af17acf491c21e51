import { pageOf, type PageArgs } from './paging.js';

const letters = ['a', 'b', 'c', 'd', 'e'];
const rules = {
  list: 'letters',
  sizeMax: 3,
  keyOf: (letter: string) => letter,
};

const textOf = ({ edges }: { edges: readonly object[] }): string =>
  (edges as { node: string }[]).map(({ node }) => node).join('');

function read(args: PageArgs): { text: string; next: boolean; previous: boolean; end: string | null } {
  const { edges, pageInfo } = pageOf(letters, args, rules) as {
    edges: { node: string }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
  };
  const text = edges.map(({ node }) => node).join('');
  return { text, next: pageInfo.hasNextPage, previous: pageInfo.hasPreviousPage, end: pageInfo.endCursor };
}

const cursorOf = (letter: string, list = 'letters'): string =>
  Buffer.from(JSON.stringify([list, letter])).toString('base64url');

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

  test('keeps every item before a cursor whose own item a filter leaves out', () => {
    const placeOf = (items: readonly string[], key: string) => ({
      before: items.filter((item) => item < key).length,
      through: items.filter((item) => item <= key).length,
    });
    const page = pageOf(['a', 'b', 'd'], { last: 2, before: cursorOf('c') }, { ...rules, placeOf });
    expect(textOf(page)).toBe('ab');
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
    { first: 1, after: cursorOf('a', 'numbers') },
    { first: 1, before: Buffer.from('["letters"]').toString('base64url') },
  ])('refuses %j', (args) => {
    expect(() => read(args)).toThrow();
  });
});
