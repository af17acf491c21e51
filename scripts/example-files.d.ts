import type { Playground } from '../playground/src/playground.js';
import type { operationTypes } from '../src/ops/schema-check/operation-types.js';
import type { readSchema } from '../src/operations/schema/read-schema.js';
import type { loadOperations } from '../src/operations/registered-operations.js';

/** The TypeScript types of the registered operations that the example names, by the modules of the service. */
export function exampleTypes(modules: {
  loadOperations: typeof loadOperations;
  operationTypes: typeof operationTypes;
  readSchema: typeof readSchema;
}): Promise<string>;
/** Applications to the demo's hirers: what a partner's back end would know from events. */
export function exampleApplications(playground: Pick<Playground, 'demo' | 'world'>): string;
