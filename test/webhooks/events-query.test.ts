import { buildSchema, parse, validate, type GraphQLSchema } from 'graphql';
import { eventsQuery, TIERS, type Tier } from '../../src/webhooks/reconcile/events-query.js';
import { NEWER_SDL, PUBLIC_SDL } from '../support/public-upstream.js';

const PLACES = [{}, { since: 0 }, { cursor: 'c' }];
const PUBLIC = buildSchema(PUBLIC_SDL);
const NEWER = buildSchema(NEWER_SDL);

function faultsOf(schema: GraphQLSchema, tier: Tier): string[] {
  return PLACES.flatMap((place) => {
    const { query } = JSON.parse(eventsQuery('seekAnz', place, tier)) as { query: string };
    return validate(schema, parse(query)).map(({ message }) => message);
  });
}

describe('the events query', () => {
  test.each(TIERS)('of the tier %s is valid against the public schema, and against newer ones', (tier) => {
    for (const schema of [PUBLIC, NEWER]) expect(faultsOf(schema, tier)).toEqual([]);
  });

  test('declares every variable that it has a value for, and no other', () => {
    for (const place of PLACES) {
      const { query, variables } = JSON.parse(eventsQuery('s', place, 'full'));
      const declared = [...query.split(')')[0].matchAll(/\$(\w+):/g)].map(([, name]) => name);
      expect(declared).toEqual(Object.keys(variables));
    }
  });
});
