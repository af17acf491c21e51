import { hash } from 'node:crypto';
import { print } from 'graphql';
import type { CompiledOperation } from '../../operations/compile/compile-operation.js';
import type { JsonSchema, ObjectSchemas } from './delivery-schema.js';
import { isDocumented } from './event-types.js';

/** The parts of an operation that describe the object of an event. */
export type EventOperation = Pick<CompiledOperation, 'name' | 'document' | 'events'>;

/**
 * The data of the operations with `@event`, by the documented type of event that it goes with.
 * @param schemaOf the JSON Schema of an operation's data
 */
export function objectsOf(
  operations: readonly EventOperation[],
  schemaOf: (operation: EventOperation) => JsonSchema,
): ObjectSchemas {
  const entries = operations.flatMap((operation) => {
    const types = operation.events.map(({ type }) => type).filter(isDocumented);
    if (types.length === 0) return [];
    const object = { operation: operation.name, schema: schemaOf(operation) };
    return types.map((type) => [type, object] as const);
  });
  return Object.fromEntries(entries);
}

/** Tells one text of an operation from another: a digest of what is sent to the upstream. */
export function markOf({ document }: Pick<EventOperation, 'document'>): string {
  return `sha256:${hash('sha256', print(document))}`;
}
