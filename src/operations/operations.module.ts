import { Module } from '@nestjs/common';
import { CONFIG } from '../config/load-config.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { RoleScopes } from '../hirer-access/role-scopes.js';
import { LOG } from '../telemetry/log.js';
import { TokenModule } from '../token/token.module.js';
import { AttachmentLinks } from './attachment-links.js';
import { AnalyzedDocuments } from './documents/analyzed-document.js';
import { openOperations, RegisteredOperations } from './registered-operations.js';
import { Operations } from './operations.service.js';
import { OperationRunner } from './transport/operation-runner.js';

/**
 * Operations: GraphQL operations and how they go upstream, for any caller. A registered operation is compiled once
 * (`compile/`) and bound to a hirer; its answer must prove to be of that hirer, and is cut to what it selects
 * (`answers/`), with sealed links in the place of attachments. Only registered operations are sent with the partner token.
 * A free text is analysed (`documents/`). Either goes upstream by `transport/`. Public interface:
 * {@link RegisteredOperations}, {@link AnalyzedDocuments}, {@link Operations} and {@link AttachmentLinks}.
 */
@Module({
  imports: [HirerAccessModule, TokenModule],
  providers: [
    { provide: RegisteredOperations, inject: [CONFIG, RoleScopes, LOG], useFactory: openOperations },
    AnalyzedDocuments,
    OperationRunner,
    AttachmentLinks,
    Operations,
  ],
  exports: [RegisteredOperations, AnalyzedDocuments, AttachmentLinks, Operations],
})
export class OperationsModule {}
