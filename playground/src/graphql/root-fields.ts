import type { Context } from './context.js';

/** Resolvers of Query or Mutation by field name. GraphQL has already checked the arguments against the schema. */
export type RootFields = Readonly<Record<string, (args: never, context: Context) => unknown>>;
