import { parse, print } from 'graphql';
import { readFileSync } from 'node:fs';
import { printSdl } from '../../playground/src/graphql/sdl.js';

test('playground/schema.graphql is what `npm run playground -- sdl` prints', () => {
  const file = readFileSync('playground/schema.graphql', 'utf8');
  expect(print(parse(file))).toBe(print(parse(printSdl())));
});
