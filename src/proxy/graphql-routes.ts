import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toBffError } from '../errors/to-bff-error.js';
import { Routes } from '../http/routes.js';
import { GraphqlProxy } from './graphql-proxy.js';
import { sendError } from './graphql-reply.js';

const URL = '/graphql';

/**
 * `POST /graphql` (ADR 0005). A user is optional because `version` needs none (interface 5.1); the proxy refuses
 * every other request without one. Every failure has the GraphQL shape, those before the handler included.
 */
@Injectable()
export class GraphqlRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly proxy: GraphqlProxy,
  ) {
    routes.listener.onEnd(({ context }) => proxy.count(context), URL);
  }

  onModuleInit(): void {
    /**
     * GraphQL operations: texts of the caller's own, or registered ones by name; one, or an array. The query `version` alone
     * needs no user.
     */
    this.routes.add({
      method: 'POST',
      url: URL,
      config: { access: 'optional-end-user', audit: 'graphql' },
      handler: (request, reply) => this.answer(request, reply),
      // Reached only by a request that failed before its handler. A caller without a user learns only that.
      errorHandler: (thrown, request, reply) => {
        sendError(request.context.userRefusal ?? toBffError(thrown), reply);
      },
    });
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return await this.proxy.answer(request, reply);
    } catch (error) {
      return sendError(toBffError(error), reply);
    }
  }
}
