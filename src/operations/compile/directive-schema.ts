import {
  GraphQLError,
  GraphQLScalarType,
  GraphQLSchema,
  Kind,
  extendSchema,
  getArgumentValues,
  isSpecifiedDirective,
  parse,
  type ASTVisitor,
  type DirectiveNode,
  type ValidationContext,
} from 'graphql';
import { isRole } from '../../hirer-access/membership.js';
import { isObject } from '../../json/is-object.js';
import type { Place } from '../answers/ownership.js';

/** Names joined by dots. Names that begin with two underscores are introspection's, and `__proto__` is JavaScript's. */
const PLACE = /^(?!__)[A-Za-z_]\w*(\.(?!__)[A-Za-z_]\w*)*$/;
const NAME = /^(?!__)\w{1,255}$/;

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

const SCALARS = [
  form('Place', 'names joined by dots', readPlace),
  form('Places', 'an object of names joined by dots', membersRead(readPlace)),
  form('Name', 'a name', matching(NAME)),
  form('Members', 'an object of the names of members of the event', membersRead(matching(NAME))),
  form('Role', 'a role', (value) => (isRole(value) ? value : undefined)),
];

const OWN = parse(`
  enum _TokenUse { PARTNER BROWSER }
  directive @hirer(
    variable: _Place path: _Place anyPath: [_Place!] event: _Name
    query: _Name variables: _Places optional: Boolean
    none: Boolean
  ) repeatable on QUERY | MUTATION
  directive @token(use: _TokenUse!) on QUERY | MUTATION
  directive @role(any: [_Role!]!) on QUERY | MUTATION
  directive @event(type: _Name!, variables: _Members = {}) repeatable on QUERY
  directive @attachment on FIELD
`);

/** Ours, and those of GraphQL itself that an operation may use; no other is known to be understood upstream. */
export const DIRECTIVE_SCHEMA = extendSchema(new GraphQLSchema({ types: SCALARS, assumeValid: true }), OWN, {
  assumeValid: true,
});

/** True for a directive that is ours, and never leaves the service. */
export function isOwn({ name }: DirectiveNode): boolean {
  const directive = DIRECTIVE_SCHEMA.getDirective(name.value);
  return directive !== undefined && directive !== null && !isSpecifiedDirective(directive);
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
  return getArgumentValues(DIRECTIVE_SCHEMA.getDirective(node.name.value)!, node);
}
