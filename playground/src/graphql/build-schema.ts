import { setTimeout as wait } from 'node:timers/promises';
import {
  buildSchema,
  defaultFieldResolver,
  GraphQLError,
  GraphQLSchema,
  isObjectType,
  Kind,
  specifiedDirectives,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
} from 'graphql';
import { assertAccess, type Access } from './access.js';
import { callerOf } from '../tokens.js';
import type { Context } from './context.js';
import type { RootFields } from './root-fields.js';
import { completeScalars } from './scalars.js';

/** Directives that only this emulator reads; the published schema describes access in its descriptions. */
const INTERNAL_DIRECTIVES = new Set(['anyone', 'scope', 'partner']);

/** The schema of SDL and root resolvers, with access checks on every field that states one (interface.md 5.6). */
export function buildPlaygroundSchema(
  sdl: string,
  roots: { Query: RootFields; Mutation: RootFields },
): GraphQLSchema {
  const schema = buildSchema(sdl);
  completeScalars(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const root = type.name === 'Query' || type.name === 'Mutation' ? roots[type.name] : undefined;
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      const access = accessOf(field, root !== undefined);
      field.description = describe(field, access);
      if (root !== undefined) field.resolve = rootResolver(coordinate, root[field.name], access);
      else if (access !== undefined) field.resolve = guardedResolver(access);
    }
  }
  const directives = schema.getDirectives().filter(({ name }) => !INTERNAL_DIRECTIVES.has(name));
  return new GraphQLSchema({
    ...schema.toConfig(),
    directives: directives.length > 0 ? directives : specifiedDirectives,
  });
}

/** Undefined for a nested field without a directive: a caller that can read its object can read it. */
function accessOf(field: GraphQLField<unknown, unknown>, isRoot: boolean): Access | undefined {
  const node = field.astNode ?? undefined;
  if (hasDirective(node, 'anyone')) return { kind: 'anyone' };
  const scope = node?.directives?.find(({ name }) => name.value === 'scope')?.arguments?.[0]?.value;
  if (scope?.kind === Kind.STRING) return { kind: 'scope', scope: scope.value };
  return isRoot || hasDirective(node, 'partner') ? { kind: 'partner' } : undefined;
}

function hasDirective(node: FieldDefinitionNode | undefined, name: string): boolean {
  return node?.directives?.some((directive) => directive.name.value === name) ?? false;
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

function rootResolver(
  coordinate: string,
  resolve: RootFields[string] | undefined,
  access: Access | undefined,
): Resolver {
  if (resolve === undefined) throw new Error(`${coordinate} of the schema has no resolver`);
  return async (_source, args, context) => {
    context.fields.push(coordinate);
    const fault = context.faults.takeForField(coordinate);
    if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
    if (fault?.code !== undefined) {
      throw new GraphQLError(fault.message ?? 'A planned fault of the playground.', {
        extensions: { code: fault.code },
      });
    }
    assertAccess(access ?? { kind: 'partner' }, context);
    assertRate(coordinate, context);
    return resolve(args as never, context);
  };
}

/** Throws `RATE_LIMITED` when the caller's bucket for this field is empty. */
function assertRate(coordinate: string, { rateLimits, credential, switches }: Context): void {
  const retryAfterSeconds = rateLimits.take(coordinate, callerOf(credential));
  if (retryAfterSeconds === undefined) return;
  const headers = switches.retryAfter ? { 'Retry-After': String(retryAfterSeconds) } : {};
  throw new GraphQLError('Too many requests of this kind.', {
    extensions: { code: 'RATE_LIMITED', http: { status: switches.rateLimitedStatus, headers } },
  });
}

function guardedResolver(access: Access): Resolver {
  return (source, args, context, info) => {
    assertAccess(access, context);
    return defaultFieldResolver(source, args, context, info);
  };
}
