import { Module } from '@nestjs/common';
import { CONFIG, ConfigError, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { HirerAccess } from '../hirer-access/hirer-access.js';
import { HirerGate } from '../hirer-access/hirer-gate.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { logRoleWarnings } from '../hirer-access/role-warnings.js';
import { type Log, LOG } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { Seal } from '../storage/seal.js';
import { BrowserTokens } from '../token/browser-tokens.js';
import { PartnerTokens } from '../token/partner-tokens.js';
import { RequestLimit } from '../token/request-limit.js';
import { TokenModule } from '../token/token.module.js';
import { AttachmentEndpoint } from '../upstream/attachment-endpoint.js';
import { GraphqlEndpoint } from '../upstream/graphql-endpoint.js';
import { DOWNLOADS_MAX } from '../upstream/upstream.module.js';
import { AnalyzedDocuments } from './documents/analyzed-document.js';
import { AttachmentLinks } from './attachments/attachment-links.js';
import { Attachments } from './attachments/attachments.js';
import { Downloads } from './attachments/downloads.js';
import { Execution } from './execution.js';
import { AttachmentRoutes } from './attachments/attachment-routes.js';
import { GraphqlProxy } from './graphql-proxy.js';
import { GraphqlRoutes } from './graphql-routes.js';
import { GraphqlUpstream } from './transport/graphql-upstream.js';
import { Interventions } from './interventions.js';
import { Planner } from './plan.js';
import { RegisteredOperations, loadOperations } from './operations/registered-operations.js';
import { ResponseCache } from './transport/response-cache.js';
import { TaskRunner } from './transport/task-runner.js';
import { UnreadAnswers } from './unread-answers.js';
import { UserBreakers } from './transport/user-breakers.js';
import { UserSlots } from './transport/user-slots.js';

/**
 * The proxy: GraphQL and attachments for end users, confined to the hirer. What a caller writes goes upstream with a
 * browser token, so that the upstream itself confines it; the partner token serves registered operations alone, whose
 * variables are bound to the checked hirer or whose answers are checked before any byte leaves. Public interface: `POST /graphql`
 * and `GET /attachments/{sealed}`.
 */
@Module({
  imports: [HirerAccessModule, TokenModule],
  providers: [
    {
      provide: Interventions,
      inject: [Metrics],
      useFactory: (metrics: Metrics) => new Interventions(metrics),
    },
    { provide: RegisteredOperations, inject: [CONFIG, RoleScopes, LOG], useFactory: openOperations },
    { provide: AttachmentLinks, inject: [CONFIG, Secrets], useFactory: openLinks },
    { provide: Planner, inject: [CONFIG, RegisteredOperations], useFactory: createPlanner },
    {
      provide: GraphqlUpstream,
      inject: [CONFIG, GraphqlEndpoint, Interventions, Metrics],
      useFactory: openUpstream,
    },
    {
      provide: Execution,
      inject: [CONFIG, BrowserTokens, PartnerTokens, GraphqlUpstream, AttachmentLinks, Interventions],
      useFactory: createExecution,
    },
    {
      provide: GraphqlProxy,
      inject: [CONFIG, HirerAccess, HirerGate, RequestLimit, Planner, Execution, Metrics, LOG],
      useFactory: createProxy,
    },
    {
      provide: Attachments,
      inject: [AttachmentLinks, HirerGate, RequestLimit, PartnerTokens, AttachmentEndpoint, Downloads],
      useFactory: (
        links: AttachmentLinks,
        gate: HirerGate,
        requestLimit: RequestLimit,
        partnerTokens: PartnerTokens,
        endpoint: AttachmentEndpoint,
        downloads: Downloads,
      ) => new Attachments({ links, gate, requestLimit, partnerTokens, endpoint, downloads }),
    },
    GraphqlRoutes,
    AttachmentRoutes,
    { provide: Downloads, inject: [CONFIG, Metrics], useFactory: openDownloads },
  ],
  exports: [RegisteredOperations],
})
export class ProxyModule {}

function openUpstream(
  config: Config,
  endpoint: GraphqlEndpoint,
  interventions: Interventions,
  metrics: Metrics,
): GraphqlUpstream {
  const breakers = new UserBreakers(Date.now);
  metrics.circuit('graphql', () => breakers.isOpen);
  const bounds = { inFlightMax: config.UPSTREAM_IN_FLIGHT_MAX, answerBytesMax: config.ANSWER_LIMIT_BYTES };
  return new GraphqlUpstream(endpoint, breakers, bounds, interventions);
}

/** The operator's own texts obey the rules of the interface too: refused, or reported once at start. */
function openOperations(
  { OPERATIONS_DIR, OPERATION_RULES }: Config,
  roleScopes: RoleScopes,
  log: Log,
): RegisteredOperations {
  const operations = loadOperations(OPERATIONS_DIR);
  const roles = [...operations.all()].flatMap(({ compiled }) => compiled.roles ?? []);
  logRoleWarnings(log, 'operations', roleScopes.warningsFor(roles));
  const faults = [...operations.all()].flatMap(({ compiled }) =>
    compiled.arguments.inlined.map((sentence) => `${compiled.source}: ${sentence}`),
  );
  if (faults.length > 0 && OPERATION_RULES === 'enforce') throw new ConfigError(faults);
  if (faults.length > 0 && OPERATION_RULES === 'warn') {
    log.warn({ faults }, 'registered operations break rules of the interface');
  }
  log.info({ operations: operations.all().size }, 'registered operations');
  return operations;
}

function openLinks(config: Config, secrets: Secrets): AttachmentLinks {
  const { UPSTREAM_URL, ATTACHMENT_PATH_PATTERN, ATTACHMENT_TTL_SECONDS } = config;
  const seal = new Seal(() => secrets.current.SEALING_KEY, 'attachments');
  return new AttachmentLinks(seal, UPSTREAM_URL!.origin, ATTACHMENT_PATH_PATTERN, ATTACHMENT_TTL_SECONDS);
}

function openDownloads(config: Config, metrics: Metrics): Downloads {
  const { USER_DOWNLOADS_MAX, DOWNLOAD_WINDOW_SECONDS } = config;
  const windowMs = DOWNLOAD_WINDOW_SECONDS * 1000;
  return new Downloads({ perUserMax: USER_DOWNLOADS_MAX, totalMax: DOWNLOADS_MAX, windowMs }, metrics);
}

/** Eight answers of full size for a user, and eight such users. */
function openUnread({ ANSWER_LIMIT_BYTES, DOWNLOAD_WINDOW_SECONDS }: Config): UnreadAnswers {
  const perUserMax = 8 * ANSWER_LIMIT_BYTES;
  return new UnreadAnswers({
    perUserMax,
    totalMax: 8 * perUserMax,
    windowMs: DOWNLOAD_WINDOW_SECONDS * 1000,
  });
}

function createPlanner(config: Config, registered: RegisteredOperations): Planner {
  const documents = new AnalyzedDocuments({
    tokensMax: config.DOCUMENT_TOKENS_MAX,
    depthMax: config.DOCUMENT_DEPTH_MAX,
    aliasesMax: config.DOCUMENT_ALIASES_MAX,
    rootFieldsMax: config.DOCUMENT_ROOT_FIELDS_MAX,
  });
  return new Planner(documents, registered, config.OPERATION_RULES);
}

function createExecution(
  config: Config,
  browserTokens: BrowserTokens,
  partnerTokens: PartnerTokens,
  upstream: GraphqlUpstream,
  links: AttachmentLinks,
  interventions: Interventions,
): Execution {
  const slots = new UserSlots(config.USER_IN_FLIGHT_MAX);
  return new Execution({
    browserTokens,
    partnerTokens,
    runner: new TaskRunner(upstream, config.UPSTREAM_BATCHING, slots, interventions),
    links,
    cache: new ResponseCache(),
    interventions,
    timeoutMs: config.UPSTREAM_TIMEOUT_MS,
  });
}

function createProxy(
  config: Config,
  hirerAccess: HirerAccess,
  gate: HirerGate,
  requestLimit: RequestLimit,
  planner: Planner,
  execution: Execution,
  metrics: Metrics,
  log: Log,
): GraphqlProxy {
  return new GraphqlProxy({
    hirerAccess,
    gate,
    requestLimit,
    planner,
    execution,
    unread: openUnread(config),
    metrics,
    log,
    batchLimit: config.BATCH_LIMIT,
  });
}
