import type { GraphQLSchema } from 'graphql';
import type { CompiledOperation } from '../src/operations/compile/compiled-operation.js';
import type { dataTypes } from '../src/ops/schema-check/operation-types.js';
import type { EVENT_TYPES } from '../src/webhooks/event-types.js';

/** The generated files of `client/src/server`, by name. */
export function eventTypeFiles(
  schema: GraphQLSchema,
  compiled: readonly CompiledOperation[],
  modules: { EVENT_TYPES: typeof EVENT_TYPES; dataTypes: typeof dataTypes },
): Promise<Record<string, string>>;
