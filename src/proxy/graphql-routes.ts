import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BffError } from '../errors/bff-error.js';
import { Routes } from '../http/routes.js';
import { problemHeaders } from '../errors/problem.js';
import { toBffError } from '../errors/to-bff-error.js';
import { GraphqlProxy } from './graphql-proxy.js';
import { errorBody } from './transport/graphql-result.js';
import type { ProxyAnswer } from './proxy-answer.js';

const MEDIA_TYPE = 'application/json; charset=utf-8';
const WARNINGS_CHARACTERS_MAX = 2_000;

/**
 * `POST /graphql` (ADR 0005). A user is optional because `version` needs none (interface 5.1); the proxy refuses
 * everything else that has none. Every failure has the GraphQL shape, those before the handler included.
 */
@Injectable()
export class GraphqlRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly proxy: GraphqlProxy,
  ) {}

  onModuleInit(): void {
    this.routes.add({
      method: 'POST',
      url: '/graphql',
      config: {
        access: 'optional-end-user',
        audit: 'graphql',
        onEnd: (context) => this.proxy.count(context),
      },
      handler: (request, reply) => this.answer(request, reply),
      // Reached only by a request that failed before its handler. A caller without a user is told that alone.
      errorHandler: (thrown, request, reply) => {
        sendError(request.context.userRefusal ?? toBffError(thrown), request, reply);
      },
    });
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { context } = request;
    try {
      const answer = await this.proxy.answer({
        user: context.user ?? context.userRefusal!,
        body: request.body,
        hirerHeader: request.headers['x-hirer-id'],
        context,
        response: reply.raw,
      });
      return sendAnswer(answer, reply);
    } catch (error) {
      return context.cancellation.cancelled ? reply.hijack() : sendError(toBffError(error), request, reply);
    }
  }
}

function sendAnswer(answer: ProxyAnswer, reply: FastifyReply): FastifyReply {
  const { status, body, contentLanguage, retryAfter, warnings, varies } = answer;
  reply.code(status).header('content-type', MEDIA_TYPE);
  if (contentLanguage !== undefined) reply.header('content-language', contentLanguage);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if (warnings.length > 0) reply.header('x-operation-warnings', toHeader(warnings));
  if (varies) addVary(reply);
  return reply.send(body);
}

function addVary(reply: FastifyReply): void {
  const present = reply.getHeader('vary');
  const ours = 'Accept-Language, Authorization, X-Hirer-Id';
  reply.header('vary', typeof present === 'string' ? `${present}, ${ours}` : ours);
}

/** Names in variables are the caller's: whatever may not stand in a header becomes a question mark. */
function toHeader(warnings: readonly string[]): string {
  return warnings
    .join(' | ')
    .slice(0, WARNINGS_CHARACTERS_MAX)
    .replaceAll(/[^\x20-\x7e]/g, '?');
}

function sendError(error: BffError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.context.failure = error;
  return reply
    .code(error.status)
    .headers(problemHeaders(error))
    .header('content-type', MEDIA_TYPE)
    .send(errorBody(error, request.id));
}
