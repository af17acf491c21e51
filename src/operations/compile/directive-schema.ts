import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLSchema,
  Kind,
  getArgumentValues,
  specifiedDirectives,
  type ASTVisitor,
  type DirectiveNode,
  type GraphQLInputType,
  type ValidationContext,
} from 'graphql';
import { isRole } from '../../hirer-access/membership.js';
import { isObject } from '../../json/is-object.js';
import type { Place } from '../confine/ownership.js';

/** Names joined by dots. Names that begin with two underscores are introspection's, and `__proto__` is JavaScript's. */
const PLACE = /^(?!__)[A-Za-z_]\w*(\.(?!__)[A-Za-z_]\w*)*$/;
const NAME = /^(?!__)\w{1,255}$/;
const CACHE_SECONDS_MAX = 300;

/** A type of argument whose values are judged by their form. Its name is none that a schema of the upstream has. */
function form(name: string, description: string, read: (value: unknown) => unknown): GraphQLScalarType {
  return new GraphQLScalarType({
    name: `_${name}`,
    parseValue: (given) => {
      const value = read(given);
      if (value === undefined) throw new Error(`it must be ${description}`);
      return value;
    },
  });
}

const matching =
  (pattern: RegExp) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' && pattern.test(value) ? value : undefined;
const readPlace = (value: unknown): Place | undefined => matching(PLACE)(value)?.split('.');
const within =
  (max: number) =>
  (value: unknown): number | undefined =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
      ? (value as number)
      : undefined;

/** The members of an object, each read. */
function membersRead<T>(read: (value: unknown) => T | undefined) {
  return (value: unknown): ReadonlyMap<string, T> | undefined => {
    const members = Object.entries(isObject(value) ? value : { '': undefined });
    const found = members.map(([name, one]) => [name, read(one)] as const);
    return found.every((member): member is [string, T] => member[1] !== undefined)
      ? new Map(found)
      : undefined;
  };
}

const PLACE_TYPE = form('Place', 'names joined by dots', readPlace);
const NAME_TYPE = form('Name', 'a name', matching(NAME));
const list = (type: GraphQLInputType): GraphQLInputType => new GraphQLList(new GraphQLNonNull(type));
const required = (type: GraphQLInputType): GraphQLInputType => new GraphQLNonNull(type);

function directive(
  name: string,
  locations: readonly DirectiveLocation[],
  types: Readonly<Record<string, GraphQLInputType>>,
  isRepeatable = false,
): GraphQLDirective {
  const args = Object.fromEntries(Object.entries(types).map(([argument, type]) => [argument, { type }]));
  return new GraphQLDirective({ name, locations, isRepeatable, args });
}

const { QUERY, MUTATION, FIELD, VARIABLE_DEFINITION } = DirectiveLocation;
const OWN = {
  hirer: directive(
    'hirer',
    [QUERY, MUTATION],
    {
      variable: PLACE_TYPE,
      path: PLACE_TYPE,
      anyPath: list(PLACE_TYPE),
      event: NAME_TYPE,
      query: NAME_TYPE,
      variables: form('Places', 'an object of names joined by dots', membersRead(readPlace)),
      optional: GraphQLBoolean,
      none: GraphQLBoolean,
    },
    true,
  ),
  token: directive('token', [QUERY, MUTATION], {
    use: required(
      new GraphQLEnumType({
        name: '_TokenUse',
        values: { PARTNER: { value: 'partner' }, BROWSER: { value: 'browser' } },
      }),
    ),
  }),
  cache: directive('cache', [QUERY], {
    seconds: required(form('Seconds', `from 1 to ${CACHE_SECONDS_MAX} seconds`, within(CACHE_SECONDS_MAX))),
    shared: GraphQLBoolean,
  }),
  role: directive('role', [QUERY, MUTATION], {
    any: required(list(form('Role', 'a role', (value) => (isRole(value) ? value : undefined)))),
  }),
  event: directive(
    'event',
    [QUERY],
    {
      type: required(NAME_TYPE),
      variables: form(
        'Members',
        'an object of the names of members of the event',
        membersRead(matching(NAME)),
      ),
    },
    true,
  ),
  max: directive(
    'max',
    [VARIABLE_DEFINITION],
    { value: required(form('Ceiling', 'a whole number from 1', within(Infinity))), path: PLACE_TYPE },
    true,
  ),
  attachment: directive('attachment', [FIELD], {}),
};

/** Ours, and those of GraphQL itself that an operation may use; no other is known to be understood upstream. */
export const DIRECTIVE_SCHEMA = new GraphQLSchema({
  directives: [...specifiedDirectives, ...Object.values(OWN)],
  assumeValid: true,
});

/** True for a directive that is ours, and never leaves the service. */
export function isOwn({ name }: DirectiveNode): boolean {
  return Object.hasOwn(OWN, name.value);
}

/** Validation rule: the arguments of our directives are constants, and an attachment is a leaf. */
export function OwnDirectivesRule(context: ValidationContext): ASTVisitor {
  const report = (message: string, node: DirectiveNode): void =>
    context.reportError(new GraphQLError(message, { nodes: node }));
  return {
    Directive: (node) => {
      if (!isOwn(node)) return;
      const isVague = (kind: Kind): boolean => kind === Kind.VARIABLE || kind === Kind.NULL;
      const vague = node.arguments?.find(({ value }) => isVague(value.kind));
      if (vague) report(`@${node.name.value}(${vague.name.value}:) must be a value`, node);
    },
    Field: ({ directives = [], selectionSet }) => {
      const node = directives.find(({ name }) => name.value === 'attachment');
      if (node && selectionSet) report('@attachment is for fields without a selection', node);
    },
  };
}

/** The values of the arguments of one of ours, by the types of the schema. */
export function argumentsOf(node: DirectiveNode): Readonly<Record<string, unknown>> {
  return getArgumentValues(OWN[node.name.value as keyof typeof OWN], node);
}
