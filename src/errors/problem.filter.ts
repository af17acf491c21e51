import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BffError } from './bff-error.js';
import { PROBLEM_MEDIA_TYPE, problemHeaders, toProblem } from './problem.js';
import { toBffError } from './to-bff-error.js';

/** Hears of every failure before it is answered, to log and count it. */
export type FailureListener = (error: BffError, request: FastifyRequest) => void;

/** The one place where a thrown error becomes an answer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly onFailure: FailureListener) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.onFailure);
  }
}

/** Answers `thrown` as problem+json; a reply that has begun can only be cut. */
export function sendProblem(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  onFailure: FailureListener,
): void {
  const error = toBffError(thrown);
  onFailure(error, request);
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
