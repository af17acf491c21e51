import type { GraphQLSchema } from 'graphql';
import { deliverySchema, type JsonSchema } from '../../webhooks/schema/delivery-schema.js';
import { markOf, objectsOf, type EventOperation } from '../../webhooks/schema/event-objects.js';
import { dataSchema } from './data-schema.js';

/**
 * The JSON Schema of deliveries, with the data of the operations that go with events.
 * @param operations valid in the schema
 */
export function describeDeliveries(schema: GraphQLSchema, operations: readonly EventOperation[]): JsonSchema {
  return deliverySchema(
    objectsOf(operations, (operation) => ({
      $comment: markOf(operation),
      ...dataSchema(schema, operation.document),
    })),
  );
}
