import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { AppModule } from './app.module.js';
import { LATE, within } from './concurrency/within.js';
import type { Config } from './config/load-config.js';
import { listenFault } from './config/faults/start-faults.js';
import { VERSION } from './config/version.js';
import { Cors } from './http/incoming/cors.js';
import { createListener } from './http/incoming/listener.js';
import { ListenersAdapter } from './http/incoming/listeners-adapter.js';
import { ProblemFilter } from './http/incoming/problem.filter.js';
import { processItself } from './http/operator.js';
import { observeRequests } from './http/request-end.js';
import { SecretRotation } from './ops/secret-rotation.js';
import { THIS_VERSION } from './storage/migrate.js';
import { Conditions } from './telemetry/conditions/conditions.js';
import { Health } from './telemetry/health.js';
import type { Log } from './telemetry/log.js';
import { Metrics } from './telemetry/metrics.js';
import { openTracing } from './telemetry/telemetry.module.js';

/** How long one module, and all, may take to stop once `SHUTDOWN_TIMEOUT_MS` is over: a second in all, with a margin. */
const MODULE_STOPPING_MS = 300;
const STOPPING_MS = 800;
/** For the last lines of the log, whose reader may have stopped reading. */
const LAST_LINES_MS = 150;

/** The running service. */
export class Service {
  private closing: Promise<void> | undefined;

  constructor(
    private readonly parts: Parts,
    /** The application, for the code that started the service. */
    readonly app: NestFastifyApplication,
    /** Origin of the public listener. */
    readonly publicUrl: string,
    /** Origin of the ops listener. */
    readonly opsUrl: string,
  ) {}

  /** Reads the secret files again; log and audit trail hold the result. */
  reloadSecrets(): void {
    this.app.get(SecretRotation).run(processItself());
  }

  /**
   * Announces the shutdown: `/readyz` is 503 and each connection is closed after its response. Resolves after
   * `SHUTDOWN_DELAY_MS`, when load balancers have had time to stop sending traffic.
   */
  async drain(): Promise<void> {
    this.announceStop();
    await delay(this.parts.config.SHUTDOWN_DELAY_MS);
  }

  /**
   * Stops listening, lets requests under way finish, writes what is pending and closes every connection, within
   * `SHUTDOWN_TIMEOUT_MS` and one second, whatever hangs. Never rejects; further calls join the first.
   */
  close(): Promise<void> {
    return (this.closing ??= this.stop());
  }

  private announceStop(): void {
    const { health, log } = this.parts;
    if (!health.isDraining) log.info('stopping');
    health.drain();
  }

  private async stop(): Promise<void> {
    const { config, log } = this.parts;
    this.announceStop();
    this.parts.endsAt = performance.now() + config.SHUTDOWN_TIMEOUT_MS;
    const stopping = this.stopParts().catch((error: unknown) =>
      log.error({ err: error }, 'the shutdown failed'),
    );
    if ((await within(config.SHUTDOWN_TIMEOUT_MS + STOPPING_MS, stopping)) === LATE) {
      log.error('shutdown timed out before all modules had stopped');
    }
    log.info('stopped');
    await within(LAST_LINES_MS, new Promise<void>((resolve) => log.flush(() => resolve())));
  }

  /** Listeners first, so that no module stops under a request; then the modules, in the reverse order of their start. */
  private async stopParts(): Promise<void> {
    const { config, publicListener, opsListener, tracing } = this.parts;
    const listeners = [publicListener, opsListener];
    const closing = Promise.all(listeners.map((listener) => listener.close()));
    if ((await within(config.SHUTDOWN_TIMEOUT_MS, closing)) === LATE) {
      for (const { server } of listeners) server.closeAllConnections();
      await closing;
    }
    await this.app.close();
    await tracing?.close();
  }
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
  const parts = await openParts(config, log);
  const { publicListener, opsListener } = parts;
  const app = await build(parts, extraRoutes);
  const opsUrl = await listen(opsListener, config, 'OPS_');
  const publicUrl = await listen(publicListener, config, '');
  log.info({ public: publicListener.listeningOrigin, ops: opsListener.listeningOrigin }, 'listening');
  return new Service(parts, app, publicUrl, opsUrl);
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** What the service is made of besides the application. */
async function openParts(config: Config, log: Log) {
  const metrics = new Metrics();
  const conditions = new Conditions(undefined, undefined, log);
  const observe = observeRequests(log, metrics, conditions);
  const tracing = await openTracing(config, log);
  const cors = config.CORS_ORIGINS.length > 0 ? new Cors(config) : undefined;
  const health = new Health();
  const publicListener = createListener(config, observe, { tracing, cors, health });
  const opsListener = createListener(config, observe, { health });
  /** When the time for requests under way is over, on the clock of `performance.now()`; 0 until it stops. */
  const endsAt = 0;
  return { config, log, metrics, health, conditions, tracing, publicListener, opsListener, endsAt };
}

/** Public modules register their routes themselves; those of each `OpsController` are on the ops listener. */
async function build(parts: Parts, extraRoutes: readonly RouteOptions[]): Promise<NestFastifyApplication> {
  const { config, log, publicListener, opsListener } = parts;
  const leftMs = (): number => Math.max(parts.endsAt - performance.now(), 0) + MODULE_STOPPING_MS;
  const adapter = new ListenersAdapter(publicListener, opsListener);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, parts), adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
    instrument: { instanceDecorator: boundHooks(log, leftMs) },
  });
  for (const route of extraRoutes) publicListener.route(route);
  await app.useGlobalFilters(new ProblemFilter()).init();
  return app;
}

/** @throws UnavailableError, ConfigError naming the setting that the listener cannot be opened with */
async function listen(listener: FastifyInstance, config: Config, prefix: '' | 'OPS_'): Promise<string> {
  const [port, host] = [`${prefix}PORT`, `${prefix}HOST`] as const;
  try {
    return await listener.listen({ port: config[port], host: config[host] });
  } catch (error) {
    throw listenFault(error, port, host);
  }
}

/**
 * Bounds the shutdown hook of each instance that has one; for Nest's `instanceDecorator`. Nest runs hooks one module after
 * the other, so that one that hangs would keep all later ones from running; and it reports those that fail to its own log
 * only, which is off.
 * @param leftMs how long a hook may take when it is called
 */
export function boundHooks(log: Pick<Log, 'error'>, leftMs: () => number): (instance: unknown) => unknown {
  return (instance) => {
    const stoppable = instance as { onApplicationShutdown?: () => unknown } | null | undefined;
    const hook = stoppable?.onApplicationShutdown?.bind(instance);
    if (!stoppable || !hook) return instance;
    const { name } = stoppable.constructor;
    stoppable.onApplicationShutdown = async () => {
      try {
        const end = await within(leftMs(), (async () => hook())());
        if (end === LATE) log.error({ class: name }, 'a module did not stop in time');
      } catch (error) {
        log.error({ err: error, class: name }, 'a module failed to stop');
      }
    };
    return instance;
  };
}
