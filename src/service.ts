import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { AppModule } from './app.module.js';
import { Authenticator } from './auth/authenticator.js';
import { KeyReload } from './ops/key-reload.js';
import { guardRoutes } from './auth/route-access.js';
import type { Config } from './config/load-config.js';
import { Secrets } from './config/secrets.js';
import { listenFault } from './config/start-faults.js';
import { ProblemFilter } from './http/problem.filter.js';
import {
  acceptCsv,
  allowOrigins,
  closeConnectionsWhile,
  collectRoutes,
  createListener,
  refuseMethodsBeside,
  traceRequests,
} from './http/listener.js';
import { observeRequests, type RequestObserver } from './http/observe-requests.js';
import { OpsAppModule } from './ops-app.module.js';
import { AuditTrail } from './audit/audit-trail.js';
import { recordRequests } from './audit/record-requests.js';
import { Health } from './telemetry/health.js';
import type { Log } from './telemetry/log.js';
import { Metrics } from './telemetry/metrics.js';
import { requireOpsToken } from './ops/ops-token.js';
import { attachmentRoutes } from './proxy/attachments/attachment-route.js';
import { Attachments } from './proxy/attachments/attachments.js';
import { GraphqlProxy } from './proxy/graphql-proxy.js';
import { graphqlRoutes } from './proxy/graphql-route.js';
import { SecretRotation } from './ops/secret-rotation.js';
import { openTracing } from './telemetry/open-tracing.js';
import type { Tracing } from './telemetry/tracing.js';
import type { Database } from './storage/database.js';
import type { RateLimit } from './storage/rate-limit.js';
import type { SharedCache } from './storage/shared-cache.js';
import { DATABASE, SHARED_CACHE } from './storage/storage.module.js';
import { PartnerTokens } from './token/partner-tokens.js';
import { REQUEST_LIMIT } from './token/request-limit.js';
import { TokenIssuance } from './token/token-issuance.js';
import { tokenRoutes } from './token/token-route.js';
import { RequestContext } from './http/request-context.js';
import type { UpstreamClient } from './upstream/upstream-client.js';
import { ISSUER_CLIENT, UPSTREAM_CLIENT } from './upstream/upstream.module.js';
import { eventStreamRoute } from './webhooks/stream/event-stream-route.js';
import { EventStreams } from './webhooks/stream/event-streams.js';
import { boundUserBodies } from './http/user-bodies.js';
import { WebhookReceiver } from './webhooks/receive/webhook-receiver.js';
import { webhookRoute } from './webhooks/receive/webhook-route.js';

/** The running service. */
export interface Service {
  /** Origin of the public listener. */
  readonly publicUrl: string;
  /** Origin of the ops listener. */
  readonly opsUrl: string;
  /** The parts, for whoever started the service. */
  readonly app: NestFastifyApplication;
  /** Reads the files of secrets again, and fetches the JWK set of end users; what came of it stands in log and audit trail. */
  reloadSecrets(): void;
  /**
   * Announces the end: not ready, and each connection closed after its answer; resolves after `SHUTDOWN_DELAY_MS`, when
   * whoever spreads the load had time to turn away.
   */
  drain(): Promise<void>;
  /** Stops taking requests, lets those under way finish, writes what is pending, and closes every connection. */
  close(): Promise<void>;
}

/** What both listeners are built with. */
interface Building {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  readonly observer: RequestObserver;
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
  const metrics = new Metrics();
  const observer = observeRequests(log, metrics);
  const building = { config, log, metrics, tracing: await openTracing(config), observer };
  const app = await buildPublic(building, extraRoutes);
  const ops = await buildOps(building, app);
  await listen(ops, 'OPS_', config.OPS_PORT, config.OPS_HOST);
  await listen(app, '', config.PORT, config.HOST);
  const warming = app.get(PartnerTokens).get(RequestContext.background());
  warming.catch(() => undefined); // logged where it failed
  const [publicUrl, opsUrl] = [await app.getUrl(), await ops.getUrl()];
  log.info({ public: publicUrl, ops: opsUrl }, 'listening');
  return {
    publicUrl,
    opsUrl,
    app,
    reloadSecrets: () => {
      app.get(SecretRotation).run({ requestId: randomUUID(), address: 'process' });
      void app.get(KeyReload).runOnSignal();
    },
    drain: async () => {
      app.get(Health).drain();
      await delay(config.SHUTDOWN_DELAY_MS);
    },
    close: async () => {
      await closeService(app, ops, config.SHUTDOWN_TIMEOUT_MS, building.tracing);
      observer.close();
    },
  };
}

/** The public application: every module of the service, and each of its routes behind the guard. */
async function buildPublic(
  { config, log, metrics, tracing, observer }: Building,
  extraRoutes: readonly RouteOptions[],
): Promise<NestFastifyApplication> {
  const listener = createListener(config, observer);
  const app = await createApp(AppModule.with(config, log, metrics), listener);
  closeConnectionsWhile(app.get(Health).draining, listener);
  if (tracing) traceRequests(listener, tracing);
  await allowOrigins(listener, config.CORS_ORIGINS, config.END_USER_COOKIE !== undefined);
  const routes = collectRoutes(listener); // without the catch-all of CORS, which would make 405 of every 404
  recordRequests(listener, app.get(AuditTrail));
  guardRoutes(listener, app.get(Authenticator));
  boundUserBodies(listener, config.BODY_LIMIT_BYTES);
  for (const route of [...hotRoutes(app), ...extraRoutes]) listener.route(route);
  await app.useGlobalFilters(new ProblemFilter()).init();
  refuseMethodsBeside(listener, routes);
  return app;
}

/** The routes that are no Nest controllers: called too often, or in need of the bare reply (ADR 0004). */
function hotRoutes(app: NestFastifyApplication): RouteOptions[] {
  const webhooks = app.get(WebhookReceiver);
  return [
    ...tokenRoutes(app.get(TokenIssuance)),
    ...graphqlRoutes(app.get(GraphqlProxy)),
    ...attachmentRoutes(app.get(Attachments)),
    eventStreamRoute(app.get(EventStreams), app.get<RateLimit>(REQUEST_LIMIT)),
    ...(webhooks.isOpen ? [webhookRoute(webhooks)] : []),
  ];
}

/** The application behind the ops listener; it borrows everything from the public one. */
async function buildOps(
  { config, observer }: Building,
  app: NestFastifyApplication,
): Promise<NestFastifyApplication> {
  const listener = createListener(config, observer);
  acceptCsv(listener);
  const ops = await createApp(OpsAppModule.over(app), listener);
  const routes = collectRoutes(listener);
  closeConnectionsWhile(app.get(Health).draining, listener);
  requireOpsToken(listener, () => app.get(Secrets).current.OPS_TOKEN);
  await ops.useGlobalFilters(new ProblemFilter()).init();
  refuseMethodsBeside(listener, routes);
  return ops;
}

/** Nest on a listener of ours. Nest's own middleware layer is left out: no module uses it, and each request would pay. */
function createApp(module: object, listener: FastifyInstance): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter(Object.assign(listener, { skipMiddie: true }));
  return NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
}

/** @throws UnavailableError, ConfigError naming the setting that the listener cannot be opened with */
async function listen(
  app: NestFastifyApplication,
  prefix: '' | 'OPS_',
  port: number,
  host: string,
): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    throw listenFault(error, `${prefix}PORT`, `${prefix}HOST`);
  }
}

/** Connections go first, then what the requests used, then what they left to be written. */
async function closeService(
  app: NestFastifyApplication,
  ops: NestFastifyApplication,
  timeoutMs: number,
  tracing: Tracing | undefined,
): Promise<void> {
  app.get(Health).drain();
  await closeWithin(app, timeoutMs);
  await closeWithin(ops, timeoutMs);
  await app.get<UpstreamClient>(UPSTREAM_CLIENT).close();
  await app.get<UpstreamClient>(ISSUER_CLIENT).close();
  await app.get(AuditTrail).close();
  await tracing?.close();
  await app.get<SharedCache>(SHARED_CACHE).close();
  await app.get<Database>(DATABASE).close();
}

/** Lets requests under way finish, for so long; then cuts them. */
async function closeWithin(app: NestFastifyApplication, timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => app.getHttpServer().closeAllConnections(), timeoutMs);
  await app.close();
  clearTimeout(cut);
}
