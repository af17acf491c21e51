import { randomUUIDv7 } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BffError } from '../../errors/bff-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../../errors/problem.js';
import { isUuid } from '../request-context.js';

/** Headers of every answer, in addition to `X-Request-Id`. */
export const STANDARD_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Faults that Node finds before there is a request object. */
const CLIENT_ERRORS: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

const REQUEST_ID = /^x-request-id:[ \t]*([\da-f-]{36})[ \t]*\r?$/im;

/** An error of Node's parser, with the bytes that it was reading. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: unknown; // a buffer, though Fastify's types have another object
}

/** A connection, and the answer that is due on it: that to a request whose headers are whole. */
interface ServerSocket extends Socket {
  readonly _httpMessage?: ServerResponse;
}

/** Answers a malformed or late request, for which there is neither a route nor a reply object. */
export function refuseBrokenRequest(fault: ClientError, socket: ServerSocket): void {
  const { _httpMessage: due } = socket;
  if (!socket.writable || due?.headersSent || fault.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const error = new BffError(CLIENT_ERRORS[fault.code ?? ''] ?? 'invalid_request');
  const id = sentId(fault, due) ?? randomUUIDv7();
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

/** The `X-Request-Id` that the caller sent, if it is a UUID and was read, or stands in the bytes that could not be. */
function sentId({ rawPacket }: ClientError, due: ServerResponse | undefined): string | undefined {
  const id = due ? due.req.headers['x-request-id'] : findId(rawPacket);
  return isUuid(id) ? id : undefined;
}

function findId(bytes: unknown): string | undefined {
  return Buffer.isBuffer(bytes) ? REQUEST_ID.exec(bytes.toString('latin1'))?.[1] : undefined;
}
