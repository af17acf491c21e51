import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { sinksSchema } from '../dist/config/values/event-sinks.js';
import { documentSettings } from '../dist/config/document-settings.js';
import { documentErrors } from '../dist/errors/document-errors.js';
import { dataTypes, operationTypes } from '../dist/ops/schema-check/operation-types.js';
import { readSchema } from '../dist/operations/schema/read-schema.js';
import { loadOperations } from '../dist/operations/registered-operations.js';
import { startPlayground } from '../playground/dist/playground.js';
import { EVENT_TYPES } from '../dist/webhooks/event-types.js';
import { eventTypeFiles } from './event-types.js';
import { exampleApplications, exampleTypes } from './example-files.js';

/** Writes what is generated: pages from the code's own tables and docstrings, and two files of the example. */
writeFileSync('docs/configuration.md', documentSettings());
writeFileSync('docs/errors.md', documentErrors());

const schema = readSchema(readFileSync('playground/schema.graphql', 'utf8'));
const shipped = [...loadOperations(['shipped']).all()].map(({ compiled }) => compiled);
const sinksFile = 'schemas/event-sinks.json';
const style = { ...(await resolveConfig(sinksFile)), parser: 'json' };
writeFileSync(sinksFile, await format(JSON.stringify(sinksSchema()), style));
for (const [name, text] of Object.entries(
  await eventTypeFiles(schema, shipped, { EVENT_TYPES, dataTypes }),
)) {
  writeFileSync(`client/src/server/${name}`, text);
}

const example = 'examples/frontend/src';
writeFileSync(`${example}/operations.ts`, await exampleTypes({ loadOperations, operationTypes, readSchema }));
const playground = await startPlayground({ port: 0 });
writeFileSync(`${example}/applications/applications.json`, exampleApplications(playground));
await playground.close();
