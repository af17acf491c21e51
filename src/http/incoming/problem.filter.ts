import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_MEDIA_TYPE, problemHeaders, toProblem } from '../../errors/problem.js';
import { toBffError } from '../../errors/to-bff-error.js';
import type {} from '../request-context.js';
import type {} from '../route-config.js';

/** Answers the errors of controllers, as {@link sendProblem} does for plain routes. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Answers `thrown` as problem+json, and records it in the context. A reply that has begun can only be aborted. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toBffError(thrown, request.routeOptions.config?.storeRetrySeconds);
  request.context.fail(error);
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  void reply
    .code(error.status)
    .headers(problemHeaders(error))
    .type(PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(toProblem(error, request.id)));
}
