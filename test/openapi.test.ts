import { openPlayground } from './support/start-stack.js';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../src/app.module.js';
import { loadConfig } from '../src/config/load-config.js';
import { createListener } from '../src/http/incoming/listener.js';
import { ListenersAdapter } from '../src/http/incoming/listeners-adapter.js';
import { observeRequests } from '../src/http/request-end.js';
import { Conditions } from '../src/telemetry/conditions/conditions.js';
import { Health } from '../src/telemetry/health.js';
import { openLog } from '../src/telemetry/log.js';
import { Metrics } from '../src/telemetry/metrics.js';
import { describedRoutes } from './support/documented.js';
import { serviceEnvironment } from './support/start-stack.js';

let registered: ReturnType<typeof describedRoutes>;
beforeAll(async () => {
  registered = await registeredRoutes();
});

test('the OpenAPI document has every route of the public listener, and none of the ops listener that is not there', () => {
  const described = describedRoutes();
  expect(described.public.toSorted()).toEqual(registered.public.toSorted());
  expect(described.ops.filter((route) => !registered.ops.includes(route))).toEqual([]);
});

/** What is registered on each listener, but for the HEAD that Fastify adds to each GET by itself. */
async function registeredRoutes(): Promise<ReturnType<typeof describedRoutes>> {
  const playground = await openPlayground();
  const config = loadConfig(serviceEnvironment(playground, { WEBHOOK_SECRETS: 'a-secret-of-this-test' }));
  const log = openLog({ LOG_LEVEL: 'silent' });
  const metrics = new Metrics();
  const observe = observeRequests(log, metrics, new Conditions());
  const listeners = { public: createListener(config, observe), ops: createListener(config, observe) };
  const routes = { public: recorded(listeners.public), ops: recorded(listeners.ops) };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config, { log, metrics, health: new Health(), conditions: new Conditions() }),
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
  listener.addHook('onRoute', ({ method, url, exposeHeadRoute, onRequest }) => {
    if (onRequest) return; // refuses the other methods of an address
    const own = [method]
      .flat()
      .filter((one) => one !== 'HEAD' || Array.isArray(method) || exposeHeadRoute === true);
    routes.push(...own.map((one) => `${one} ${url.replaceAll(/:(\w+)/g, '{$1}')}`));
  });
  return routes;
}
