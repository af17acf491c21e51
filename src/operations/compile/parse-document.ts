import {
  ExecutableDefinitionsRule,
  GraphQLError,
  GraphQLScalarType,
  GraphQLSchema,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  ProvidedRequiredArgumentsRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueVariableNamesRule,
  ValuesOfCorrectTypeRule,
  extendSchema,
  getArgumentValues,
  parse,
  specifiedDirectives,
  validate,
  visit,
  type ASTNode,
  type ASTVisitor,
  type DirectiveNode,
  type DocumentNode,
  type Source,
  type ValidationContext,
} from 'graphql';
import { isRole } from '../../hirer-access/membership.js';
import { isObject } from '../../json/parse-json.js';
import type { Place } from '../answers/ownership.js';

/** A fault of an operation's text, at a node of it. */
export function faultAt(nodes: ASTNode, message: string): GraphQLError {
  return new GraphQLError(message, { nodes });
}

/** Names joined by dots. Names that begin with two underscores are introspection's, and `__proto__` is JavaScript's. */
const PLACE = /^(?!__)[A-Za-z_]\w*(\.(?!__)[A-Za-z_]\w*)*$/;
const NAME = /^(?!__)\w{1,255}$/;

type Read = (value: unknown) => unknown;

const readName: Read = (value) => (typeof value === 'string' && NAME.test(value) ? value : undefined);
const readPlace: Read = (value): Place | undefined =>
  typeof value === 'string' && PLACE.test(value) ? value.split('.') : undefined;

/** The members of an object, each read. */
const membersRead =
  (read: Read): Read =>
  (value) => {
    const members = Object.entries(isObject(value) ? value : { '': undefined });
    const found = new Map(members.map(([name, one]) => [name, read(one)]));
    return [...found.values()].includes(undefined) ? undefined : found;
  };

/** A type of argument whose values are judged by their form. Its name is none that a schema of the upstream has. */
function form(name: string, description: string, read: Read): GraphQLScalarType {
  return new GraphQLScalarType({
    name: `_${name}`,
    parseValue: (given) => {
      const value = read(given);
      if (value === undefined) throw new Error(`it must be ${description}`);
      return value;
    },
  });
}

const SCALARS = [
  form('Place', 'names joined by dots', readPlace),
  form('Places', 'an object of names joined by dots', membersRead(readPlace)),
  form('Name', 'a name', readName),
  form('Members', 'an object of the names of members of the event', membersRead(readName)),
  form('Role', 'a role', (value) => (isRole(value) ? value : undefined)),
];

const OWN = parse(`
  enum _TokenUse { PARTNER BROWSER }
  directive @hirer(
    variable: _Place path: _Place anyPath: [_Place!] query: _Name variables: _Places optional: Boolean none: Boolean
  ) repeatable on QUERY | MUTATION
  directive @token(use: _TokenUse!) on QUERY | MUTATION
  directive @role(any: [_Role!]!) on QUERY | MUTATION
  directive @event(type: _Name!, variables: _Members = {}) repeatable on QUERY
  directive @attachment on FIELD
`);

/** Ours, and those of GraphQL itself that an operation may use; no other is known to be understood upstream. */
const DIRECTIVE_SCHEMA = extendSchema(new GraphQLSchema({ types: SCALARS, assumeValid: true }), OWN, {
  assumeValid: true,
});

/**
 * The rules of GraphQL that need no schema of the upstream (specification, section 5), and the form of our directives.
 * What is declared and not used is left to `operations check`.
 */
const RULES = [
  ExecutableDefinitionsRule,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueVariableNamesRule,
  KnownDirectivesRule,
  UniqueDirectivesPerLocationRule,
  KnownArgumentNamesRule,
  ProvidedRequiredArgumentsRule,
  ValuesOfCorrectTypeRule,
  ownDirectivesRule,
];

/** The arguments of our directives are constants, and an attachment is a leaf. */
function ownDirectivesRule(context: ValidationContext): ASTVisitor {
  return {
    Directive: (node) => {
      const isVague = (kind: Kind): boolean => kind === Kind.VARIABLE || kind === Kind.NULL;
      const vague = isOwn(node) && node.arguments?.find(({ value }) => isVague(value.kind));
      if (vague) {
        context.reportError(faultAt(node, `@${node.name.value}(${vague.name.value}:) must be a value`));
      }
    },
    Field: ({ directives = [], selectionSet }) => {
      const node = directives.find(({ name }) => name.value === 'attachment');
      if (node && selectionSet) {
        context.reportError(faultAt(node, '@attachment is for fields without a selection'));
      }
    },
  };
}

/** @throws GraphQLError for the first thing that GraphQL itself says against it */
export function parseDocument(text: Source): DocumentNode {
  const document = parse(text);
  const [fault] = validate(DIRECTIVE_SCHEMA, document, RULES, { maxErrors: 1 });
  if (fault) throw fault;
  return document;
}

/** True if a directive of a document that was read is ours, and never leaves the service. */
export function isOwn({ name }: DirectiveNode): boolean {
  return specifiedDirectives.every((specified) => specified.name !== name.value);
}

/** The values of the arguments of one of ours, by the types of the schema. */
export function argumentsOf(node: DirectiveNode): Readonly<Record<string, unknown>> {
  return getArgumentValues(DIRECTIVE_SCHEMA.getDirective(node.name.value)!, node);
}

/** The variables that nodes use; one that is declared only is not. */
export function variablesIn(nodes: readonly ASTNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  const visitor = {
    VariableDefinition: () => false,
    Variable: ({ name }: { readonly name: { readonly value: string } }) => void names.add(name.value),
  };
  for (const node of nodes) visit(node, visitor);
  return names;
}
