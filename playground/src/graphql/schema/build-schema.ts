import { setTimeout as wait } from 'node:timers/promises';
import type {
  GraphQLArgument,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLInputField,
  GraphQLSchema,
} from 'graphql';
import type { Localised } from '../../data/ontologies.js';
import { assertAccess, type Access } from '../access.js';
import type { Context, MutationFields, QueryFields, TypeFields } from '../context.js';
import { graphqlError } from '../errors.js';
import { pageOf, type List, type PageArgs } from '../paging.js';
import { directiveText, hasDirective } from './directives.js';
import { checkArguments, describeMember } from './check-input.js';
import { completeScalars } from './scalars.js';
import { graphql } from '../graphql-packages.js';

/** What the schema's fields are read by, for one kind of objects. */
export interface Resolvers {
  readonly Query?: QueryFields;
  readonly Mutation?: MutationFields;
  /** Fields that no member of their record holds, by type; the others are read by {@link readMember}. */
  readonly types?: TypeFields;
}

/**
 * The schema of SDL and resolvers, with the checks and the paging that its directives demand (interface.md 5.6).
 * @throws Error for a root field without a resolver, or without a decision on who may call it
 */
export function buildPlaygroundSchema(sdl: string, parts: readonly Resolvers[]): GraphQLSchema {
  const resolvers = merge(parts);
  // A test validates the SDL; doing so at each start takes as long as building the schema.
  const schema = graphql.buildSchema(sdl, { assumeValidSDL: true, noLocation: true });
  completeScalars(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (graphql.isInputObjectType(type)) describeMembers(Object.values(type.getFields()));
    if (graphql.isAbstractType(type)) {
      const typeNameOf = resolvers[type.name]?.['__typename'] ?? payloadOf(type.name);
      type.resolveType = (record, context: Context) =>
        typeNameOf(record as never, undefined as never, context) as string;
    }
    if (!graphql.isObjectType(type) || type.name.startsWith('__')) continue;
    const own = resolvers[type.name] ?? {};
    const isRoot = type.name === 'Query' || type.name === 'Mutation';
    for (const field of Object.values(type.getFields())) {
      const access = accessOf(field);
      describeMembers(field.args);
      field.description = describe(field, access);
      const resolve = isRoot
        ? rootResolver(`${type.name}.${field.name}`, field, own[field.name] as RootField | undefined, access)
        : memberResolver(field, own[field.name], access);
      field.resolve = paginated(field, resolve);
    }
  }
  return schema;
}

function merge(parts: readonly Resolvers[]): TypeFields {
  const merged: Record<string, TypeFields[string]> = {};
  for (const { types, ...roots } of parts) {
    for (const [type, fields] of Object.entries({ ...roots, ...types })) {
      merged[type] = { ...merged[type], ...fields };
    }
  }
  return merged;
}

/** The type of what a mutation answers: a conflict names the objects that exist already. */
function payloadOf(union: string): TypeFields[string][string] {
  return (payload: object) =>
    `${union}_${Object.keys(payload).some((name) => name.startsWith('conflicting')) ? 'Conflict' : 'Success'}`;
}

/** Cuts the page out of the list that a paginated field is read as. */
function paginated(field: GraphQLField<unknown, unknown>, resolve: Resolver): Resolver {
  const sizeMax = directiveText(field.astNode, 'paginated', 'maximumPageSize');
  if (sizeMax === undefined) return resolve;
  const rules = { list: graphql.getNamedType(field.type).name, sizeMax: Number(sizeMax) };
  return async (source, args, context, info) => {
    const list = (await resolve(source, args, context, info)) as List<unknown> | null;
    return list === null ? null : pageOf(list, args as PageArgs, rules);
  };
}

function describeMembers(members: readonly (GraphQLArgument | GraphQLInputField)[]): void {
  for (const member of members) member.description = describeMember(member);
}

/** Undefined for a field without a directive: it can be read wherever its object can. */
function accessOf({ astNode }: GraphQLField<unknown, unknown>): Access | undefined {
  if (hasDirective(astNode, 'anyone')) return { kind: 'anyone' };
  if (hasDirective(astNode, 'partner')) return { kind: 'partner' };
  const scope = directiveText(astNode, 'scope', 'name');
  return scope === undefined ? undefined : { kind: 'scope', scope };
}

function describe(field: GraphQLField<unknown, unknown>, access: Access | undefined): string | undefined {
  const text = field.description ?? '';
  switch (access?.kind) {
    case undefined:
      return field.description ?? undefined;
    case 'anyone':
      return `${text}\n\nNeeds no token.`.trim();
    case 'partner':
      return `${text}\n\nNeeds a partner token.`.trim();
    case 'scope':
      return `${text}\n\nNeeds a partner token, or a browser token with the scope \`${access.scope}\`.`.trim();
  }
}

type Resolver = GraphQLFieldResolver<unknown, Context, Record<string, unknown>>;
type RootField = (args: Record<string, unknown>, context: Context) => unknown;

function rootResolver(
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  resolve: RootField | undefined,
  access: Access | undefined,
): Resolver {
  if (resolve === undefined) throw new Error(`${coordinate} of the schema has no resolver`);
  if (access === undefined) throw new Error(`${coordinate} of the schema does not say who may call it`);
  return async (_source, args, context) => {
    context.fields.push(coordinate);
    const fault = context.faults.takeForField(coordinate);
    if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
    if (fault?.code !== undefined) {
      throw new graphql.GraphQLError(fault.message ?? 'A planned fault of the playground.', {
        extensions: { code: fault.code },
      });
    }
    assertAccess(access, context);
    checkArguments(field.args, args, context);
    const answer = resolve(args, context);
    if (typeof answer !== 'function') return answer;
    if (context.switches.mutations === 'stateful') return (answer as () => unknown)();
    throw graphqlError('FORBIDDEN', 'The playground is read-only. The input of the mutation is valid.');
  };
}

function memberResolver(
  field: GraphQLField<unknown, unknown>,
  own: TypeFields[string][string] | undefined,
  access: Access | undefined,
): Resolver {
  const isId = graphql.getNamedType(field.type).name.endsWith('Identifier');
  const isLocalised = hasDirective(field.astNode, 'localized');
  return (source, args, context, info) => {
    if (access !== undefined) assertAccess(access, context);
    checkArguments(field.args, args, context);
    const value: unknown =
      own === undefined
        ? readMember(field.name, source as Timed, graphql.defaultFieldResolver(source, args, context, info))
        : own(source as never, args as never, context);
    if (isId) return identifierOf(field.name, value, source as { readonly id?: string });
    return isLocalised && typeof value === 'object' ? (value as Localised | null)?.[context.locale] : value;
  };
}

type Timed = { readonly [Name in 'createdMs' | 'updatedMs' | 'startMs' | 'endMs']?: number };

/** A member of a record by the name of a field; its times are in milliseconds, under shorter names. */
function readMember(name: string, { createdMs, updatedMs, startMs, endMs }: Timed, value: unknown): unknown {
  if (value !== undefined) return value;
  return { createDateTime: createdMs, updateDateTime: updatedMs, start: startMs, end: endMs }[name];
}

/** The names under which the schema has a record's own identifier. */
const OWN_IDS = ['id', 'documentId', 'profileId'];

/** An identifier as the schema has it: that of the record itself, or of another that a member names. */
function identifierOf(name: string, value: unknown, { id }: { readonly id?: string }): unknown {
  if (value === undefined && OWN_IDS.includes(name)) return { value: id };
  return typeof value === 'string' ? { value } : value;
}
