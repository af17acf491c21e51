import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { documentSettings } from '../dist/config/document-settings.js';
import { documentErrors } from '../dist/errors/document-errors.js';
import { operationTypes } from '../dist/ops/schema-check/operation-types.js';
import { readSchema } from '../dist/operations/compile/read-schema.js';
import { loadOperations } from '../dist/operations/registered-operations.js';
import { deliverySchema } from '../dist/webhooks/schema/delivery-schema.js';
import { startPlayground } from '../playground/dist/playground.js';
import { EVENT_TYPES } from '../dist/webhooks/schema/event-types.js';
import { eventTypes } from './event-types.js';
import { clientApi } from './client-api.js';
import { exampleApplications, exampleTypes } from './example-files.js';

/** Writes what is generated: pages from the code's own tables and docstrings, and two files of the example. */
writeFileSync('docs/configuration.md', documentSettings());
writeFileSync('docs/errors.md', documentErrors());
writeFileSync('client/API.md', clientApi());
writeFileSync('client/src/server/event-types.ts', eventTypes(EVENT_TYPES));
const style = await resolveConfig('schemas/event-delivery.json');
writeFileSync(
  'schemas/event-delivery.json',
  await format(JSON.stringify(deliverySchema()), { ...style, parser: 'json' }),
);

const example = 'examples/frontend/src';
writeFileSync(`${example}/operations.ts`, await exampleTypes({ loadOperations, operationTypes, readSchema }));
const playground = await startPlayground({ port: 0 });
writeFileSync(`${example}/applications.json`, exampleApplications(playground));
await playground.close();
