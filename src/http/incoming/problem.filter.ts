import { randomUUIDv7 } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BffError } from '../../errors/bff-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { PROBLEM_MEDIA_TYPE, problemHeaders, toProblem } from '../../errors/problem.js';
import { toBffError } from '../../errors/to-bff-error.js';
import { isUuid } from '../header-values.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers the errors of a controller's route, those before its handler included; problem+json by default. */
    sendError?: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void;
  }
}

/** Headers of every answer, in addition to `X-Request-Id`. */
export const STANDARD_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Answers the errors of controllers in the form that their route declares: {@link sendProblem} by default. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { sendError = sendProblem } = request.context.config;
    sendError(thrown, request, http.getResponse<FastifyReply>());
  }
}

/** Of a file that did not come: they would name it, and have a browser save the problem under its name. */
const FILE_HEADERS = ['content-disposition', 'content-length', 'content-security-policy', 'last-modified'];

/** Answers `thrown` as problem+json, and records it in the context. A reply that has begun can only be aborted. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toBffError(thrown);
  request.context.fail(error);
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  for (const name of FILE_HEADERS) reply.removeHeader(name);
  void reply
    .code(error.status)
    .headers(problemHeaders(error))
    .type(PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(toProblem(error, request.id)));
}

const CLIENT_ERRORS = new Map<string | undefined, ErrorCode>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
]);
const REQUEST_ID = /^x-request-id:[ \t]*([\da-f-]{36})[ \t]*\r?$/im;

/** An error of Node's parser, with the bytes that it was reading: a buffer, though Fastify's types have another object. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** A connection, and the answer that is due on it: that to a request whose headers are whole. */
type ServerSocket = Socket & { readonly _httpMessage?: ServerResponse };

/** Answers a malformed or late request, which Node finds before there is a reply object. */
export function refuseBrokenRequest({ code, rawPacket }: ClientError, socket: ServerSocket): void {
  const { _httpMessage: due } = socket;
  if (!socket.writable || due?.headersSent || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const sentId = due ? due.req.headers['x-request-id'] : REQUEST_ID.exec(bytes)?.[1];
  const id = isUuid(sentId) ? sentId : randomUUIDv7();
  const error = new BffError(CLIENT_ERRORS.get(code) ?? 'invalid_request');
  const body = JSON.stringify(toProblem(error, id));
  const headers = {
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    ...STANDARD_HEADERS,
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join('')}\r\n${body}`);
  socket.destroySoon();
}
