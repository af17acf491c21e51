import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { AppModule } from './app.module.js';
import { Authenticator } from './auth/authenticator.js';
import { guardRoutes } from './auth/route-access.js';
import type { Config } from './config/load-config.js';
import { Secrets } from './config/secrets.js';
import { ProblemFilter, type FailureListener } from './errors/problem.filter.js';
import {
  acceptCsv,
  allowOrigins,
  closeConnectionsWhile,
  collectRoutes,
  createListener,
  observeRequests,
  refuseOtherMethods,
  traceRequests,
} from './listener.js';
import { OpsAppModule } from './ops-app.module.js';
import { AuditTrail } from './ops/audit-trail.js';
import { Health } from './ops/health.js';
import type { Log } from './ops/log.js';
import { Metrics } from './ops/metrics.js';
import { requireOpsToken } from './ops/ops-token.js';
import { attachmentRoute } from './proxy/attachment-route.js';
import { Attachments } from './proxy/attachments.js';
import { GraphqlProxy } from './proxy/graphql-proxy.js';
import { graphqlRoutes } from './proxy/graphql-route.js';
import { SecretRotation } from './ops/secret-rotation.js';
import { openTracing } from './ops/open-tracing.js';
import type { Tracing } from './ops/tracing.js';
import type { Database } from './storage/database.js';
import type { SharedCache } from './storage/shared-cache.js';
import { DATABASE, SHARED_CACHE } from './storage/storage.module.js';
import { PartnerTokens } from './token/partner-tokens.js';
import { TokenIssuance } from './token/token-issuance.js';
import { tokenRoute } from './token/token-route.js';
import { RequestContext } from './upstream/request-context.js';
import type { UpstreamClient } from './upstream/upstream-client.js';
import { ISSUER_CLIENT, UPSTREAM_CLIENT } from './upstream/upstream.module.js';
import { WebhookReceiver } from './webhooks/webhook-receiver.js';
import { webhookRoute } from './webhooks/webhook-route.js';

/** The running service. */
export interface Service {
  /** Origin of the public listener. */
  readonly publicUrl: string;
  /** Origin of the ops listener. */
  readonly opsUrl: string;
  /** The parts, for whoever started the service. */
  readonly app: NestFastifyApplication;
  /** Reads the files of secrets again; what came of it stands in log and audit trail. */
  reloadSecrets(): void;
  /**
   * Announces the end: not ready, and each connection closed after its answer; resolves after `SHUTDOWN_DELAY_MS`, when
   * whoever spreads the load had time to turn away.
   */
  drain(): Promise<void>;
  /** Stops taking requests, lets those under way finish, writes what is pending, and closes every connection. */
  close(): Promise<void>;
}

/**
 * Starts both listeners. Rejects, with nothing left open, when a part cannot start.
 * @param extraRoutes what the public listener serves besides: the demo page, in playground mode
 */
export async function startService(
  config: Config,
  log: Log,
  extraRoutes: readonly RouteOptions[] = [],
): Promise<Service> {
  const metrics = new Metrics();
  const tracing = await openTracing(config);
  const observer = observeRequests(log, metrics);
  const onFailure: FailureListener = (error, request) => observer.fail(error, request);
  const filter = new ProblemFilter(onFailure);

  const listener = createListener(config, observer);
  const app = await createApp(AppModule.with(config, log, metrics), listener);
  const routes = collectRoutes(listener);
  closeConnectionsWhile(app.get(Health).draining, listener);
  if (tracing) traceRequests(listener, tracing);
  await allowOrigins(listener, config.CORS_ORIGINS, config.END_USER_COOKIE !== undefined);
  guardRoutes(listener, app.get(Authenticator));
  listener.route(tokenRoute(app.get(TokenIssuance), onFailure, config.TRUST_TRACE));
  for (const route of graphqlRoutes(app.get(GraphqlProxy), onFailure, config.TRUST_TRACE))
    listener.route(route);
  listener.route(attachmentRoute(app.get(Attachments), onFailure, config.TRUST_TRACE));
  const webhooks = app.get(WebhookReceiver);
  if (webhooks.isOpen) listener.route(webhookRoute(webhooks, onFailure));
  for (const route of extraRoutes) listener.route(route);
  await app.useGlobalFilters(filter).init();
  refuseOtherMethods(listener, routes);

  const opsListener = createListener(config, observer);
  acceptCsv(opsListener);
  const ops = await createApp(OpsAppModule.over(app), opsListener);
  const opsRoutes = collectRoutes(opsListener);
  closeConnectionsWhile(app.get(Health).draining, opsListener);
  requireOpsToken(opsListener, () => app.get(Secrets).current.OPS_TOKEN);
  await ops.useGlobalFilters(filter).init();
  refuseOtherMethods(opsListener, opsRoutes);

  await ops.listen(config.OPS_PORT, config.OPS_HOST);
  await app.listen(config.PORT, config.HOST);
  void app
    .get(PartnerTokens)
    .get(RequestContext.background())
    .catch(() => undefined); // warmed; logged where it failed
  log.info({ public: await app.getUrl(), ops: await ops.getUrl() }, 'listening');
  return {
    publicUrl: await app.getUrl(),
    opsUrl: await ops.getUrl(),
    app,
    reloadSecrets: () => {
      app.get(SecretRotation).run({ requestId: randomUUID(), address: 'process' });
    },
    drain: async () => {
      app.get(Health).drain();
      await delay(config.SHUTDOWN_DELAY_MS);
    },
    close: () => closeService(app, ops, config.SHUTDOWN_TIMEOUT_MS, tracing),
  };
}

/** Nest on a listener of ours. Nest's own middleware layer is left out: no room uses it, and each request would pay. */
function createApp(module: object, listener: FastifyInstance): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter(Object.assign(listener, { skipMiddie: true }));
  return NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
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
