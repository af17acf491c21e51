import { readFileSync } from 'node:fs';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { format, resolveConfig } from 'prettier';
import { startPlayground } from '../playground/src/playground.js';
import { declarationsOf, openApiDocuments } from '../scripts/openapi.js';
import { AppModule } from '../src/app.module.js';
import { loadConfig } from '../src/config/load-config.js';
import { ERROR_CODES } from '../src/errors/error-codes.js';
import { createListener } from '../src/http/incoming/listener.js';
import { ListenersAdapter } from '../src/http/incoming/listeners-adapter.js';
import { observeRequests } from '../src/http/incoming/observe-requests.js';
import { Health } from '../src/telemetry/health.js';
import { openLog } from '../src/telemetry/log.js';
import { Metrics } from '../src/telemetry/metrics.js';
import { readDocument, type Listener } from './support/described-fetch.js';
import { serviceEnvironment } from './support/start-stack.js';

jest.setTimeout(120_000); // the compiler reads all sources

const LISTENERS = ['public', 'ops'] as const;

test('the OpenAPI documents match the code; regenerate them with npm run docs', () => {
  expect(openApiDocuments(ERROR_CODES)).toEqual({ public: readDocument('public'), ops: readDocument('ops') });
});

test('the types of the ops listener are those of its document; regenerate them with npm run docs', async () => {
  const file = 'schemas/openapi/ops.d.ts';
  const style = { ...(await resolveConfig(file)), parser: 'typescript' };
  expect(readFileSync(file, 'utf8')).toBe(await format(declarationsOf(readDocument('ops')), style));
});

describe('the routes', () => {
  let registered: Record<Listener, string[]>;
  beforeAll(async () => (registered = await registeredRoutes()));

  test.each(LISTENERS)('of the %s listener are all in its document, and no other', (listener) => {
    const { paths } = readDocument(listener);
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(registered[listener].sort());
  });
});

/** What is registered on each listener, but for the HEAD that Fastify adds to each GET by itself. */
async function registeredRoutes(): Promise<Record<Listener, string[]>> {
  const playground = await startPlayground({ port: 0 });
  const config = loadConfig(serviceEnvironment(playground, { WEBHOOK_SECRETS: 'a-secret-of-this-test' }));
  const log = openLog({ LOG_LEVEL: 'silent' });
  const metrics = new Metrics();
  const observer = observeRequests(log, metrics, config);
  const listeners = { public: createListener(config, observer), ops: createListener(config, observer) };
  const routes = { public: recorded(listeners.public), ops: recorded(listeners.ops) };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config, { log, metrics, health: new Health() }),
    new ListenersAdapter(listeners.public, listeners.ops),
    { logger: false, bodyParser: false },
  );
  await app.init();
  await app.close();
  await listeners.ops.close();
  await playground.close();
  return routes;
}

function recorded(listener: FastifyInstance): string[] {
  const routes: string[] = [];
  listener.addHook('onRoute', ({ method, url, exposeHeadRoute }) => {
    const own = [method]
      .flat()
      .filter((one) => one !== 'HEAD' || Array.isArray(method) || exposeHeadRoute === true);
    routes.push(...own.map((one) => `${one} ${url.replaceAll(/:(\w+)/g, '{$1}')}`));
  });
  return routes;
}
