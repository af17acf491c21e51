import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../config/package-dir.js';
import { deliverySchema, type JsonSchema } from './delivery-schema.js';
import { markOf, objectsOf, type EventOperation } from './event-objects.js';

/** Written by `npm run docs` for the shipped operations and the upstream's public schema. */
const SHIPPED = join(PACKAGE_DIR, 'schemas/event-delivery.json');

/**
 * The schema of deliveries for the operations in force. The data of a shipped operation is described as the package ships
 * it; that of any other is some object, since the service does not know the upstream's schema.
 */
export function servedSchema(operations: readonly EventOperation[]): JsonSchema {
  const { $defs } = JSON.parse(readFileSync(SHIPPED, 'utf8')) as { $defs: Record<string, JsonSchema> };
  return deliverySchema(
    objectsOf(operations, (operation) => {
      const shipped = $defs[`${operation.name}Data`];
      return shipped?.['$comment'] === markOf(operation) ? shipped : { type: 'object' };
    }),
  );
}
