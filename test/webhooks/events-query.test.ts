import { buildSchema, parse, validate, type GraphQLSchema } from 'graphql';
import {
  eventsQuery,
  NEWER_TYPES,
  TIERS,
  type QueryForm,
} from '../../src/webhooks/reconcile/events-query.js';
import { QueryForms, REFUSED_MS } from '../../src/webhooks/reconcile/query-forms.js';
import { NEWER_SDL, PUBLIC_SDL } from '../support/public-upstream.js';

const POLL_MS = 300_000;
const PLACES = [{}, { since: 0 }, { cursor: 'c' }];
const PUBLIC = buildSchema(PUBLIC_SDL);
const NEWER = buildSchema(NEWER_SDL);

function faultsOf(schema: GraphQLSchema, form: QueryForm): string[] {
  return PLACES.flatMap((place) => {
    const { query } = JSON.parse(eventsQuery('seekAnz', place, form)) as { query: string };
    return validate(schema, parse(query)).map(({ message }) => message);
  });
}

describe('the events query', () => {
  test.each(TIERS)('of the tier %s is valid against the public schema, and against newer ones', (tier) => {
    for (const schema of [PUBLIC, NEWER]) expect(faultsOf(schema, { tier, newerTypes: [] })).toEqual([]);
  });

  test('names the types of newer schemas as these have them', () => {
    for (const tier of TIERS) expect(faultsOf(NEWER, { tier, newerTypes: NEWER_TYPES })).toEqual([]);
    expect(faultsOf(PUBLIC, { tier: 'full', newerTypes: NEWER_TYPES })).not.toEqual([]);
  });

  test('declares every variable that it has a value for, and no other', () => {
    for (const place of PLACES) {
      const { query, variables } = JSON.parse(eventsQuery('s', place, { tier: 'full', newerTypes: [] }));
      const declared = [...query.split(')')[0].matchAll(/\$(\w+):/g)].map(([, name]) => name);
      expect(declared).toEqual(Object.keys(variables));
    }
  });
});

describe('the forms of the query', () => {
  const UPDATED = 'PositionProfileUpdated';
  const bare = (tier: QueryForm['tier']): QueryForm => ({ tier, newerTypes: [] });
  let clock: number;
  let forms: QueryForms;
  beforeEach(() => {
    clock = 0;
    forms = new QueryForms(() => clock, POLL_MS);
  });

  test('are tried from the fullest one, and from the accepted one after a refusal', () => {
    expect(forms.toTry()).toEqual([bare('full'), bare('ids'), bare('plain')]);
    forms.accept(bare('ids'), 'no hirers');
    expect(forms.toTry()).toEqual([bare('ids'), bare('plain')]);
    expect(forms.refusal).toEqual({ reason: 'no hirers', triedAgainAt: REFUSED_MS });
  });

  test('are all tried again after an hour, whatever was accepted meanwhile', () => {
    forms.accept(bare('ids'), 'no hirers');
    clock = REFUSED_MS - 1;
    forms.accept(bare('ids'), undefined);
    expect(forms.toTry()).toHaveLength(2);
    clock += 1;
    expect(forms.toTry()).toHaveLength(3);
    forms.accept(bare('full'), undefined);
    expect([forms.tier, forms.refusal]).toEqual(['full', undefined]);
  });

  test('count as accepted again once this replica has not asked for long, because another one does', () => {
    forms.accept(bare('plain'), 'no types');
    clock = REFUSED_MS + 2 * POLL_MS;
    expect(forms.tier).toBe('plain');
    clock += 1;
    expect([forms.tier, forms.refusal]).toEqual(['full', undefined]);
  });

  test('name a newer type once an event of it was read, until the upstream refuses that for an hour', () => {
    const extended = forms.extend(bare('full'), ['PositionProfilePosted', UPDATED])!;
    expect(extended).toEqual({ tier: 'full', newerTypes: [UPDATED] });
    expect(forms.extend(extended, [UPDATED])).toBeUndefined();
    expect(forms.extend(bare('plain'), [UPDATED])).toBeUndefined();
    forms.accept(extended, undefined);
    expect(forms.toTry().slice(0, 2)).toEqual([extended, bare('full')]);
    forms.accept(bare('full'), 'no such type');
    expect(forms.toTry()[0]).toEqual(bare('full'));
    expect(forms.extend(bare('full'), [UPDATED])).toBeUndefined();
    clock = REFUSED_MS;
    expect(forms.extend(bare('full'), [UPDATED])).toEqual(extended);
    forms.refuseTypes(bare('full'), extended);
    expect(forms.extend(bare('full'), [UPDATED])).toBeUndefined();
  });
});
