import { HirerSearch } from './hirer-search.js';

/** Hirers 0 to 499, of which the upstream names those below a bound. */
const search = (namedBelow: number): HirerSearch =>
  new HirerSearch(
    { hirers: async () => Array.from({ length: 500 }, (_, index) => `hirer:${index}`) },
    { hirers: async () => [] },
    {
      of: async (ids) =>
        ids.map((id) => {
          const index = Number(id.split(':')[1]);
          return index < namedBelow ? `Company ${index} Ltd` : null;
        }),
    },
  );

test('a name is looked for among all hirers, however many there are', async () => {
  expect(await search(500).find('company 450 ')).toEqual({
    items: [{ hirerId: 'hirer:450', name: 'Company 450 Ltd' }],
    unnamed: 0,
  });
});

test('a search that could not look at every name says so', async () => {
  expect(await search(400).find('company 450 ')).toEqual({ items: [], unnamed: 100 });
});
