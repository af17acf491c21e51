import type { GraphQLArgument, GraphQLInputField, GraphQLInputType } from 'graphql';
import { reachesHirer } from '../access.js';
import type { Context } from '../context.js';
import { hasDirective } from './directives.js';
import { graphqlError } from '../errors.js';
import { isInputObjectType, isListType, isNonNullType } from '../graphql-packages.js';

/** Throws unless the caller reaches every hirer that the arguments name where the schema says `@hirerId`. */
export function assertHirerArguments(
  declared: readonly GraphQLArgument[],
  values: Readonly<Record<string, unknown>>,
  context: Context,
): void {
  for (const { hirerId, field } of declared.flatMap((argument) =>
    hirersIn(argument, values[argument.name], argument.name),
  )) {
    if (reachesHirer(hirerId, context)) continue;
    throw graphqlError('FORBIDDEN', `There is no relationship with the hirer in ${field}.`, field);
  }
}

interface NamedHirer {
  readonly hirerId: string;
  readonly field: string;
}

function hirersIn(member: GraphQLArgument | GraphQLInputField, value: unknown, field: string): NamedHirer[] {
  return walk(member.type, hasDirective(member.astNode, 'hirerId'), value, field);
}

function walk(type: GraphQLInputType, isHirer: boolean, value: unknown, field: string): NamedHirer[] {
  if (value == null) return [];
  if (isNonNullType(type)) return walk(type.ofType, isHirer, value, field);
  if (isListType(type)) {
    const members = value as readonly unknown[];
    return members.flatMap((member, index) =>
      walk(type.ofType, isHirer, member, `${field}[${String(index)}]`),
    );
  }
  if (isInputObjectType(type)) {
    const members = value as Readonly<Record<string, unknown>>;
    return Object.values(type.getFields()).flatMap((inner) =>
      hirersIn(inner, members[inner.name], `${field}.${inner.name}`),
    );
  }
  return isHirer && typeof value === 'string' ? [{ hirerId: value, field }] : [];
}
