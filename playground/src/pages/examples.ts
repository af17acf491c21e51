import type { GraphQLSchema } from 'graphql';
import type { World } from '../data/world.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { Variables } from './example-objects.js';
import { mutationVariables } from './example-mutations.js';
import { queryVariables } from './example-queries.js';
import { makeDocument } from './make-document.js';

/** One operation of the schema, ready to be sent. */
export interface Example {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly description: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * An example of every operation of the schema.
 * @param more variables by operation, beside the playground's own
 */
export function makeExamples(
  schema: GraphQLSchema,
  world: World,
  webhooks: Webhooks,
  more: Readonly<Record<string, Variables>> = {},
): Example[] {
  const known = { ...queryVariables(world, webhooks), ...mutationVariables(world), ...more };
  const examplesOf = (kind: Example['kind']): Example[] => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {}).map((field) => {
      const variables = known[field.name] ?? (field.args.length > 0 ? { input: {} } : {});
      const query = makeDocument(schema, kind, field, variables);
      return { name: field.name, kind, description: field.description ?? '', query, variables };
    });
  };
  return [...examplesOf('query'), ...examplesOf('mutation')];
}
