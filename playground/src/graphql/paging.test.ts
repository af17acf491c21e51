import { pageOf, type PageArgs } from './paging.js';

const letters = ['a', 'b', 'c', 'd', 'e'];
const rules = {
  list: 'letters',
  sizeMax: 3,
  keyOf: (letter: string) => letter,
};

function read(args: PageArgs): { text: string; next: boolean; previous: boolean } {
  const { edges, pageInfo } = pageOf(letters, args, rules) as {
    edges: { node: string }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
  };
  const text = edges.map(({ node }) => node).join('');
  return { text, next: pageInfo.hasNextPage, previous: pageInfo.hasPreviousPage };
}

const cursorOf = (letter: string): string =>
  Buffer.from(JSON.stringify(['letters', letter])).toString('base64url');

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

  it.each<PageArgs>([
    { first: 1, after: cursorOf('z') },
    { first: 1, before: Buffer.from('["letters"]').toString('base64url') },
  ])('refuses %j', (args) => {
    expect(() => read(args)).toThrow();
  });
});
