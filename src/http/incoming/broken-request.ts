import { randomUUIDv7 } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { BffError } from '../../errors/bff-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../../errors/problem.js';

/** Headers of every answer, in addition to `X-Request-Id`. */
export const STANDARD_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Faults that Node finds before there is a request object. */
const CLIENT_ERRORS: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Answers a malformed or late request, for which there is neither a route nor a reply object. */
export function refuseBrokenRequest(fault: NodeJS.ErrnoException, socket: Socket): void {
  const isAnswered =
    (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true;
  if (!socket.writable || isAnswered || fault.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const error = new BffError(CLIENT_ERRORS[fault.code ?? ''] ?? 'invalid_request');
  const id = randomUUIDv7();
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
