import { Module } from '@nestjs/common';
import { CONFIG } from '../config/load-config.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { LOG } from '../telemetry/log.js';
import { TokenModule } from '../token/token.module.js';
import { AnswerTurns } from './answer-turns.js';
import { AttachmentLinks } from './attachments/attachment-links.js';
import { AttachmentRoutes } from './attachments/attachment-routes.js';
import { Attachments } from './attachments/attachments.js';
import { Downloads } from './attachments/downloads.js';
import { OneUseLinks } from './attachments/one-use-links.js';
import { AnalyzedDocuments } from './documents/analyzed-document.js';
import { Execution } from './execution.js';
import { GraphqlProxy } from './graphql-proxy.js';
import { GraphqlRoutes } from './graphql-routes.js';
import { Interventions } from './interventions.js';
import { OperationReader } from './operation-reader.js';
import { openOperations } from './operations/open-operations.js';
import { RegisteredOperations } from './operations/registered-operations.js';
import { GraphqlUpstream } from './transport/graphql-upstream.js';
import { OperationRunner } from './transport/operation-runner.js';
import { ResponseCache } from './transport/response-cache.js';
import { UserBreakers } from './transport/user-breakers.js';
import { UnreadAnswers } from './unread-answers.js';

/**
 * The proxy: GraphQL and attachments for end users, confined to the hirer. A caller's own text goes upstream with a
 * browser token, so that the upstream itself confines it; the partner token serves registered operations alone, whose
 * variables are bound to the checked hirer or whose answers are checked before any byte leaves. An operation is, in
 * order: the request with its context, an `Operation`, an HTTP request, an `Outcome`. Public interface: `POST /graphql`,
 * `GET /attachments/{sealed}` and `POST /attachments/links`, and {@link RegisteredOperations}. It needs the port
 * `EventOwners`.
 */
@Module({
  imports: [HirerAccessModule, TokenModule],
  providers: [
    Interventions,
    { provide: RegisteredOperations, inject: [CONFIG, RoleScopes, LOG], useFactory: openOperations },
    AnalyzedDocuments,
    OperationReader,
    UserBreakers,
    GraphqlUpstream,
    OperationRunner,
    ResponseCache,
    AttachmentLinks,
    AnswerTurns,
    Execution,
    UnreadAnswers,
    GraphqlProxy,
    GraphqlRoutes,
    Downloads,
    Attachments,
    OneUseLinks,
    AttachmentRoutes,
  ],
  exports: [RegisteredOperations],
})
export class ProxyModule {}
