import { buildSchema, parse, print, validateSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { printSdl, readSdl } from '../../playground/src/graphql/schema/sdl.js';

test('playground/schema.graphql is what `npm run playground -- sdl` prints', () => {
  const file = readFileSync('playground/schema.graphql', 'utf8');
  expect(print(parse(file))).toBe(print(parse(printSdl())));
});

test('the SDL of the playground is valid', () => {
  expect(validateSchema(buildSchema(readSdl()))).toEqual([]);
});
