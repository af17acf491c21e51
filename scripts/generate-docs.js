import { readFileSync, writeFileSync } from 'node:fs';
import { RELOADABLE } from '../dist/config/secrets.js';
import { SETTINGS } from '../dist/config/settings.js';
import { ERROR_CODES } from '../dist/errors/error-codes.js';
import { readSchema } from '../dist/operations/check-documents.js';
import { loadOperations } from '../dist/operations/registered-operations.js';
import { startPlayground } from '../playground/dist/playground.js';
import { EVENT_TYPES } from '../dist/webhooks/event-types.js';
import { eventTypeFiles } from './event-types.js';
import { exampleApplications, exampleTypes } from './example-files.js';
import { dataTypes, operationTypes } from './operation-types.ts';
import { errorsPage, settingsPage } from './reference-pages.js';

/** Writes what is generated: pages from the code's own tables and docstrings, and two files of the example. */
writeFileSync('docs/configuration.md', settingsPage(SETTINGS, RELOADABLE));
writeFileSync('docs/errors.md', errorsPage(ERROR_CODES));

const schema = readSchema(readFileSync('playground/schema.graphql', 'utf8'));
const shipped = [...loadOperations(['shipped']).all()].map(({ compiled }) => compiled);
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
