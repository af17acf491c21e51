import { Module } from '@nestjs/common';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { OperationsModule } from '../operations/operations.module.js';
import { TokenModule } from '../token/token.module.js';
import { AttachmentRoutes } from './attachments/attachment-routes.js';
import { Attachments } from './attachments/attachments.js';
import { OneUseLinks } from './attachments/one-use-links.js';
import { GraphqlRequests } from './graphql-request.js';
import { GraphqlController } from './graphql.controller.js';

/**
 * The proxy: GraphQL and attachments for end users. A caller's own text goes upstream with a browser token, so that the
 * upstream itself confines it; the partner token serves registered operations alone. An operation is, in order: the
 * request with its context, an `Operation`, an HTTP request, an `Outcome`. Public interface: `POST /graphql`, `GET
 * /attachments/{sealed}` and `POST /attachments/links`.
 */
@Module({
  imports: [HirerAccessModule, TokenModule, OperationsModule],
  controllers: [GraphqlController],
  providers: [GraphqlRequests, Attachments, OneUseLinks, AttachmentRoutes],
})
export class ProxyModule {}
