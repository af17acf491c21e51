import type {
  GraphQLField,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLUnionType,
} from 'graphql';
import {
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from '../graphql/graphql-packages.js';

const DEPTH_MAX = 4;
/** Marks a selection in which nothing is left. */
const EMPTY = '{}';

/** The text of an operation on one root field, with the variables given and a selection of everything close to it. */
export function makeDocument(
  schema: GraphQLSchema,
  kind: 'query' | 'mutation',
  field: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
): string {
  const used = field.args.filter(({ name }) => name in variables);
  const declared = used.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = used.map(({ name }) => `${name}: $${name}`).join(', ');
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1);
  const selection = selectionOf(schema, getNamedType(field.type), 1, new Set());
  const head = `${kind} ${name}${declared === '' ? '' : `(${declared})`}`;
  return `${head} {\n  ${field.name}${passed === '' ? '' : `(${passed})`}${selection}\n}\n`;
}

/** No type is entered twice on the way down, so that cycles in the schema end. */
function selectionOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  depth: number,
  above: ReadonlySet<string>,
): string {
  if (isLeafType(type)) return '';
  const lines: string[] = [];
  const inside = new Set([...above, type.name]);
  if (isUnionType(type) || isInterfaceType(type)) lines.push('__typename');
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) lines.push(...lineOf(schema, field, depth, inside));
  }
  if (isUnionType(type) || isInterfaceType(type)) {
    for (const member of schema.getPossibleTypes(type)) {
      lines.push(...fragmentOf(schema, member, type, depth, inside));
    }
  }
  return lines.length === 0 ? EMPTY : blockOf(lines, depth);
}

function blockOf(lines: readonly string[], depth: number): string {
  const indent = '  '.repeat(depth + 1);
  return ` {\n${lines.map((line) => `${indent}${line}\n`).join('')}${'  '.repeat(depth)}}`;
}

/** The fields that a member of a union or an interface has beyond the interface. */
function fragmentOf(
  schema: GraphQLSchema,
  member: GraphQLObjectType,
  type: GraphQLUnionType | GraphQLInterfaceType,
  depth: number,
  above: ReadonlySet<string>,
): string[] {
  const shared = isInterfaceType(type) ? type.getFields() : {};
  const inside = new Set([...above, member.name]);
  const own = Object.values(member.getFields()).filter(({ name }) => !(name in shared));
  const lines = own.flatMap((field) => lineOf(schema, field, depth + 1, inside));
  return lines.length === 0 ? [] : [`... on ${member.name}${blockOf(lines, depth + 1)}`];
}

function lineOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  depth: number,
  above: ReadonlySet<string>,
): string[] {
  const type = getNamedType(field.type);
  const needsArguments = field.args.some((argument) => isNonNullType(argument.type));
  if (field.deprecationReason != null || needsArguments || above.has(type.name)) return [];
  if (isLeafType(type)) return [field.name];
  const selection = depth < DEPTH_MAX ? selectionOf(schema, type, depth + 1, above) : EMPTY;
  return selection.includes(EMPTY) ? [] : [`${field.name}${selection}`];
}
