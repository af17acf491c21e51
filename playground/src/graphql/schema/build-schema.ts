import { setTimeout as wait } from 'node:timers/promises';
import type { GraphQLField, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { assertAccess, type Access } from '../access.js';
import type { Context, RootFields } from '../context.js';
import { directiveText, hasDirective } from './directives.js';
import { assertHirerArguments } from './hirer-arguments.js';
import { completeScalars } from './scalars.js';
import { buildSchema, defaultFieldResolver, GraphQLError, isObjectType } from '../graphql-packages.js';

/**
 * The schema of SDL and root resolvers, with the checks that its directives demand (interface.md 5.6).
 * @throws Error for a root field without a resolver, or without a decision on who may call it
 */
export function buildPlaygroundSchema(
  sdl: string,
  roots: { Query: RootFields; Mutation: RootFields },
): GraphQLSchema {
  // A test validates the SDL; doing so at each start takes as long as building the schema.
  const schema = buildSchema(sdl, { assumeValidSDL: true, noLocation: true });
  completeScalars(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const root = type.name === 'Query' || type.name === 'Mutation' ? roots[type.name] : undefined;
    for (const field of Object.values(type.getFields())) {
      const access = accessOf(field);
      field.description = describe(field, access);
      if (root !== undefined) field.resolve = rootResolver(`${type.name}.${field.name}`, field, root, access);
      else if (access !== undefined) field.resolve = guardedResolver(access);
    }
  }
  return schema;
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

function rootResolver(
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  root: RootFields,
  access: Access | undefined,
): Resolver {
  const resolve = root[field.name];
  if (resolve === undefined) throw new Error(`${coordinate} of the schema has no resolver`);
  if (access === undefined) throw new Error(`${coordinate} of the schema does not say who may call it`);
  return async (_source, args, context) => {
    context.fields.push(coordinate);
    const fault = context.faults.takeForField(coordinate);
    if (fault?.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
    if (fault?.code !== undefined) {
      throw new GraphQLError(fault.message ?? 'A planned fault of the playground.', {
        extensions: { code: fault.code },
      });
    }
    assertAccess(access, context);
    assertHirerArguments(field.args, args, context);
    return resolve(args as never, context);
  };
}

function guardedResolver(access: Access): Resolver {
  return (source, args, context, info) => {
    assertAccess(access, context);
    return defaultFieldResolver(source, args, context, info);
  };
}
