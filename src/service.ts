import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { AppModule } from './app.module.js';
import { LATE, within } from './concurrency/within.js';
import type { Config } from './config/load-config.js';
import { listenFault } from './config/faults/start-faults.js';
import { VERSION } from './config/version.js';
import { BffError } from './errors/bff-error.js';
import { Cors } from './http/incoming/cors.js';
import { createListener } from './http/incoming/listener.js';
import { ListenersAdapter } from './http/ops-controller.js';
import { refuseOtherMethods } from './http/incoming/other-methods.js';
import { ProblemFilter, sendProblem } from './http/incoming/problem.filter.js';
import { processItself } from './http/operator.js';
import { observeRequests, type RequestObserver } from './http/request-end.js';
import { Routes } from './http/routes.js';
import { SecretRotation } from './ops/secret-rotation.js';
import { ShutdownHooks } from './shutdown-hooks.js';
import { THIS_VERSION } from './storage/migrate.js';
import { Conditions } from './telemetry/conditions/conditions.js';
import { Health } from './telemetry/health.js';
import type { Log } from './telemetry/log.js';
import { Metrics } from './telemetry/metrics.js';
import { openTracing, type Telemetry } from './telemetry/telemetry.module.js';
import type { Tracing } from './telemetry/tracing.js';

/** How long the modules may take to stop once `SHUTDOWN_TIMEOUT_MS` is over: a second in all, with a margin. */
const STOPPING_MS = 800;

/** The running service. */
export interface Service {
  /** Origin of the public listener. */
  readonly publicUrl: string;
  /** Origin of the ops listener. */
  readonly opsUrl: string;
  /** The application, for the code that started the service. */
  readonly app: NestFastifyApplication;
  /** Reads the secret files again; log and audit trail hold the result. */
  reloadSecrets(): void;
  /**
   * Announces the shutdown: `/readyz` is 503 and each connection is closed after its response. Resolves after
   * `SHUTDOWN_DELAY_MS`, when load balancers have had time to stop sending traffic.
   */
  drain(): Promise<void>;
  /**
   * Stops listening, lets requests under way finish, writes what is pending and closes every connection, within
   * `SHUTDOWN_TIMEOUT_MS` and one second, whatever hangs. Never rejects; further calls join the first.
   */
  close(): Promise<void>;
}

/** The listeners, and what the application is built with. */
interface Building extends Telemetry {
  readonly config: Config;
  readonly tracing: Tracing | undefined;
  readonly hooks: ShutdownHooks;
  readonly publicListener: FastifyInstance;
  readonly opsListener: FastifyInstance;
}

/**
 * Starts both listeners.
 * @param extraRoutes what the public listener serves besides: the demo page, in playground mode
 */
export async function startService(
  config: Config,
  log: Log,
  extraRoutes: readonly RouteOptions[] = [],
): Promise<Service> {
  const mode = config.playground ? 'playground' : 'deployment';
  const storeFormat = THIS_VERSION.format;
  log.info({ mode, node: process.version, storeFormat }, `partner-bff ${VERSION} is starting`);
  const building = await prepare(config, log);
  const { publicListener, opsListener } = building;
  const app = await build(building, extraRoutes);
  const opsUrl = await listen(opsListener, 'OPS_', config.OPS_PORT, config.OPS_HOST);
  const publicUrl = await listen(publicListener, '', config.PORT, config.HOST);
  log.info({ public: boundUrl(publicListener), ops: boundUrl(opsListener) }, 'listening');
  let closing: Promise<void> | undefined;
  return {
    publicUrl,
    opsUrl,
    app,
    reloadSecrets: () => void app.get(SecretRotation).run(processItself()),
    drain: async () => {
      announceStop(building);
      await delay(config.SHUTDOWN_DELAY_MS);
    },
    close: () => (closing ??= closeService(building, app)),
  };
}

async function prepare(config: Config, log: Log): Promise<Building> {
  const metrics = new Metrics();
  const conditions = new Conditions(undefined, undefined, log);
  const observer = observeRequests(log, metrics, conditions);
  const tracing = await openTracing(config, log);
  const publicListener = createListener(config, observer, {
    tracing,
    ...(config.CORS_ORIGINS.length > 0 && { cors: new Cors(config) }),
  });
  const opsListener = createOpsListener(config, observer);
  const health = new Health();
  const hooks = new ShutdownHooks(log);
  return { config, log, metrics, health, conditions, tracing, hooks, publicListener, opsListener };
}

/** The listener for operators. Nest knows only the public one, so that what it does for that one is done here. */
function createOpsListener(config: Config, observer: RequestObserver): FastifyInstance {
  const listener = createListener(config, observer);
  listener.setErrorHandler(sendProblem);
  listener.setNotFoundHandler((request, reply) => sendProblem(new BffError('not_found'), request, reply));
  return listener;
}

/**
 * The application: every module of the service. Public modules register their routes themselves; the routes of each
 * `OpsController` are on the ops listener.
 */
async function build(
  building: Building,
  extraRoutes: readonly RouteOptions[],
): Promise<NestFastifyApplication> {
  const { config, hooks, publicListener, opsListener } = building;
  const refusals = [publicListener, opsListener].map(refuseOtherMethods);
  const adapter = new ListenersAdapter(publicListener, opsListener);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, building), adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
    instrument: { instanceDecorator: hooks.bound },
  });
  for (const route of extraRoutes) app.get(Routes).add(route);
  await app.useGlobalFilters(new ProblemFilter()).init();
  for (const refuse of refusals) refuse();
  return app;
}

/** @throws UnavailableError, ConfigError naming the setting that the listener cannot be opened with */
async function listen(
  listener: FastifyInstance,
  prefix: '' | 'OPS_',
  port: number,
  host: string,
): Promise<string> {
  try {
    return await listener.listen({ port, host });
  } catch (error) {
    throw listenFault(error, `${prefix}PORT`, `${prefix}HOST`);
  }
}

/** Where a listener is bound: `0.0.0.0` stays that, whereas Fastify names an address that can be called. */
function boundUrl({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function announceStop({ health, log, publicListener, opsListener }: Building): void {
  if (!health.isDraining) log.info('stopping');
  health.drain();
  publicListener.drain();
  opsListener.drain();
}

/**
 * Listeners first, so that no module stops under a request; then the modules, in the reverse order of their start.
 * Nothing that hangs or fails on the way keeps the rest from running.
 */
async function closeService(building: Building, app: NestFastifyApplication): Promise<void> {
  const { log, tracing, hooks, publicListener, opsListener } = building;
  const { SHUTDOWN_TIMEOUT_MS } = building.config;
  announceStop(building);
  hooks.limit(SHUTDOWN_TIMEOUT_MS);
  const stop = async (): Promise<void> => {
    await closeListeners([publicListener, opsListener], SHUTDOWN_TIMEOUT_MS);
    await app.close();
    await tracing?.close();
  };
  const stopping = stop().catch((error: unknown) => log.error({ err: error }, 'the shutdown failed'));
  if ((await within(SHUTDOWN_TIMEOUT_MS + STOPPING_MS, stopping)) === LATE) {
    log.error('shutdown timed out before all modules had stopped');
  }
  log.info('stopped');
}

/** Lets requests under way finish for `timeoutMs`, then cuts their connections. No request is left when it resolves. */
async function closeListeners(listeners: readonly FastifyInstance[], timeoutMs: number): Promise<void> {
  const closing = Promise.all(listeners.map((listener) => listener.close()));
  if ((await within(timeoutMs, closing)) !== LATE) return;
  for (const { server } of listeners) server.closeAllConnections();
  await closing;
}
