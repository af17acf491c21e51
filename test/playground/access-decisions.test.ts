import {
  getNamedType,
  isInputObjectType,
  type FieldDefinitionNode,
  type GraphQLArgument,
  type GraphQLInputField,
} from 'graphql';
import { buildPlaygroundSchema } from '../../playground/src/graphql/schema/build-schema.js';
import { directiveText, hasDirective } from '../../playground/src/graphql/schema/directives.js';
import { theSchema } from '../../playground/src/graphql/schema/schema.js';

/** The root fields that a browser token opens, by the scope that it needs; every other one is for partner tokens. */
const BROWSER_FIELDS: Record<string, string> = {
  'query:ontologies': `Query.currencies Query.inferLocation Query.jobCategories Query.jobCategory
    Query.jobCategorySuggestions Query.location Query.locationSuggestions Query.nearestLocations Query.payTypes`,
  'query:organizations':
    'Query.hiringOrganization Query.hiringOrganizations Query.seekAnzAdvertiser Query.self',
  'query:ad-products': `Query.advertisementProducts Query.seekAnzHirerAdvertisementCreationProducts
    Query.seekAnzHirerAdvertisementModificationProducts Query.seekAnzHirerAdvertisementModificationProductsAlt`,
  'query:advertisement-brandings': 'Query.advertisementBranding Query.advertisementBrandings',
  'query:application-library-question-suggestions': 'Query.applicationLibraryQuestionSuggestions',
  'query:application-questionnaires': 'Query.applicationQuestionnaire',
  'mutate:application-questionnaires': 'Mutation.createApplicationQuestionnaire',
  'query:position-profiles': 'Query.positionProfile',
  'query:posted-position-profile-previews': 'Query.postedPositionProfilePreview',
};

/** Partner tokens only, and only what the partner itself wrote: a subscription outlives a relationship. */
const UNCHECKED_HIRERS = ['WebhookSubscriptionsFilterInput.hirerIds'];

/** The tokens that may call each root field, as the SDL has it. */
function decisions(): Record<string, string[]> {
  const roots = [theSchema().getQueryType()!, theSchema().getMutationType()!];
  return Object.fromEntries(
    roots.flatMap((root) =>
      Object.values(root.getFields()).map((field) => [
        `${root.name}.${field.name}`,
        decisionsOf(field.astNode!),
      ]),
    ),
  );
}

function decisionsOf(field: FieldDefinitionNode): string[] {
  const scope = directiveText(field, 'scope', 'name');
  const others = ['anyone', 'partner'].filter((name) => hasDirective(field, name));
  return scope === undefined ? others : [scope, ...others];
}

test('every root field has exactly one decision on who may call it, and it is the public one', () => {
  const expected = Object.fromEntries(Object.keys(decisions()).map((field) => [field, ['partner']]));
  expected['Query.version'] = ['anyone'];
  for (const [scope, fields] of Object.entries(BROWSER_FIELDS)) {
    for (const field of fields.split(/\s+/)) expected[field] = [scope];
  }
  expect(decisions()).toEqual(expected);
});

test('a root field without a decision or a resolver keeps the playground from starting', () => {
  const scalars = 'scalar Date scalar DateTime scalar HistoryDate type Mutation { _empty: String @partner }';
  const directives = 'directive @partner on FIELD_DEFINITION';
  const build = (sdl: string, Query: Record<string, () => null>) =>
    buildPlaygroundSchema(`${directives} ${scalars} ${sdl}`, [
      { Query, Mutation: { _empty: () => () => null } },
    ]);
  const open = { open: () => null };
  expect(() => build('type Query { open: String }', open)).toThrow('Query.open of the schema does not say');
  expect(() => build('type Query { open: String @partner }', {})).toThrow('Query.open of the schema has no');
  expect(() => build('type Query { open: String @partner }', open)).not.toThrow();
});

test('every argument and input field that names a hirer is checked by the schema', () => {
  const named: [coordinate: string, member: GraphQLArgument | GraphQLInputField][] = [];
  for (const type of Object.values(theSchema().getTypeMap())) {
    if (!('getFields' in type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (isInputObjectType(type)) named.push([`${type.name}.${field.name}`, field as GraphQLInputField]);
      if (!('args' in field)) continue;
      for (const argument of field.args) {
        named.push([`${type.name}.${field.name}(${argument.name})`, argument]);
      }
    }
  }
  const isHirer = /hirerIds?\)?$|positionOrganizations$|^(PostingRequesterInput|UploadCandidate_Hir.*)\.id$/i;
  const texts = named.filter(([, { type }]) => getNamedType(type).name === 'String');
  const hirers = texts.filter(([coordinate]) => isHirer.test(coordinate));
  expect(hirers.length).toBeGreaterThan(15);
  const unchecked = hirers.filter(([, { astNode }]) => !hasDirective(astNode, 'hirerId'));
  expect(unchecked.map(([coordinate]) => coordinate)).toEqual(UNCHECKED_HIRERS);
});
