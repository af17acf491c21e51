import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { TOKEN_FAULTS } from '../dist/auth/token-fault.js';
import { loadConfig } from '../dist/config/load-config.js';
import { RELOADABLE } from '../dist/config/secrets.js';
import { SETTINGS } from '../dist/config/settings.js';
import { END_USERS } from '../dist/config/settings/end-users.js';
import { HIRER_ACCESS } from '../dist/config/settings/hirer-access.js';
import { LISTENERS } from '../dist/config/settings/listeners.js';
import { PROXY } from '../dist/config/settings/proxy.js';
import { STORAGE } from '../dist/config/settings/storage.js';
import { TELEMETRY } from '../dist/config/settings/telemetry.js';
import { UPSTREAM } from '../dist/config/settings/upstream.js';
import { WEBHOOKS } from '../dist/config/settings/webhooks.js';
import { ERROR_CODES } from '../dist/errors/error-codes.js';
import { startService } from '../dist/service.js';
import { openLog } from '../dist/telemetry/log.js';
import { CONDITIONS } from '../dist/telemetry/conditions/condition-table.js';
import { Metrics } from '../dist/telemetry/metrics.js';
import { readSchema } from '../dist/operations/check-documents.js';
import { loadOperations } from '../dist/operations/registered-operations.js';
import { startPlayground } from '../playground/dist/playground.js';
import { EVENT_TYPES } from '../dist/webhooks/webhook-event.js';
import { argumentTypes } from './argument-types.ts';
import { eventTypeFiles } from './event-types.js';
import { exampleApplications, exampleDeliveries, exampleTypes } from './example-files.js';
import { dataTypes, operationTypes } from './operation-types.ts';
import {
  conditionsTable,
  deliveriesPage,
  errorsPage,
  metricsPage,
  operationsPage,
  routesTable,
  settingsPage,
  withGenerated,
} from './reference-pages.js';

/** Writes what is generated: pages from tables of the service, types, and two files of the example. */
const areas = {
  Listeners: LISTENERS,
  'Upstream and issuer': UPSTREAM,
  'End users': END_USERS,
  'Hirers, roles and scopes': HIRER_ACCESS,
  Stores: STORAGE,
  'Webhooks and events': WEBHOOKS,
  'GraphQL and files': PROXY,
  'Log and traces': TELEMETRY,
};
const described = Object.assign({}, ...Object.values(areas));
const missing = Object.keys(SETTINGS).filter((name) => !(name in described));
if (missing.length > 0) throw new Error(`no area has ${missing.join(', ')}`);
writeFileSync('docs/configuration.md', settingsPage(areas, RELOADABLE));
writeFileSync('docs/errors.md', errorsPage({ ERROR_CODES, TOKEN_FAULTS }));

const runbook = 'docs/runbook.md';
writeFileSync(runbook, withGenerated(readFileSync(runbook, 'utf8'), conditionsTable(CONDITIONS)));

const controllers = globSync('src/**/*controller.ts').map((file) => readFileSync(file, 'utf8'));
const ops = controllers.filter((text) => text.includes('@OpsController('));
writeFileSync('docs/ops.md', withGenerated(readFileSync('docs/ops.md', 'utf8'), routesTable(ops)));

const sdl = readFileSync('playground/schema.graphql', 'utf8');
const schema = readSchema(sdl);
const shipped = [...loadOperations(['shipped']).all()].map(({ compiled }) => compiled);
writeFileSync(
  'docs/operations.md',
  operationsPage(shipped, ({ source }) => readFileSync(source, 'utf8')),
);
for (const [name, text] of Object.entries(
  await eventTypeFiles(schema, shipped, { EVENT_TYPES, dataTypes }),
)) {
  writeFileSync(`client/src/server/${name}`, text);
}

const example = 'examples/frontend/src';
writeFileSync(`${example}/operations.ts`, await exampleTypes({ loadOperations, operationTypes, readSchema }));
writeFileSync('playground/src/graphql/arguments.ts', await argumentTypes(sdl));
const playground = await startPlayground({ port: 0 });
writeFileSync(`${example}/applications/applications.json`, exampleApplications(playground));

const key = randomBytes(48).toString('base64');
const places = { HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0', DATA_DIR: ':memory:' };
const settings = { ...playground.settings, ...playground.sinkSettings, ...places };
const config = loadConfig({ ...settings, USER_ID_KEY: key, SEALING_KEY: key });
const service = await startService(config, openLog({ LOG_LEVEL: 'silent' }));
writeFileSync('docs/metrics.md', metricsPage(service.app.get(Metrics).registry.getMetricsAsArray()));
const deliveries = await exampleDeliveries(playground, service.publicUrl);
writeFileSync('docs/deliveries.md', await deliveriesPage(deliveries));
await service.close();
await playground.close();
