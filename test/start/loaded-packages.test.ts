import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { compiledProgram, startProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';

/** Packages that only some settings need, imported with `import()` where they are read. The metrics need `@opentelemetry/api`. */
const ON_DEMAND = /node_modules\/(pg|redis|@redis\/client|pino-pretty|@opentelemetry\/(?!api\/)[^/]+)\//g;

const folder = mkdtempSync(join(tmpdir(), 'bff-loaded-'));
const list = join(folder, 'list');
const recorder = join(folder, 'recorder.mjs');
let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({ port: 0 });
  writeFileSync(
    recorder,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context)) });`,
  );
});
afterAll(() => playground.close());

/** Names of the packages of {@link ON_DEMAND} that a service with these settings has loaded when it listens. */
async function loadedWith(settings: Record<string, string>): Promise<ReadonlySet<string>> {
  writeFileSync(list, '');
  const environment = serviceEnvironment(playground, settings);
  const service = await startProcess(environment, compiledProgram('--import', resolve(recorder)));
  await service.stop();
  return new Set([...readFileSync(list, 'utf8').matchAll(ON_DEMAND)].map(([, name]) => name!));
}

test('a service loads the packages of no setting that is not set', async () => {
  expect(await loadedWith({})).toEqual(new Set());
});

test('a service loads the packages of the settings that are set', async () => {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  expect(await loadedWith(settings)).toContain('@opentelemetry/sdk-trace');
});
