import { buildSchema, validateSchema } from 'graphql';
import { readFileSync } from 'node:fs';

test('the public schema is valid', () => {
  const sdl = readFileSync('playground/schema.graphql', 'utf8');
  expect(validateSchema(buildSchema(sdl))).toEqual([]);
});
