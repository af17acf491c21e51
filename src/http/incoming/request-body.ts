import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserBudget } from '../../concurrency/user-budget.js';
import { BffError } from '../../errors/bff-error.js';
import { contentCodings } from '../header-values.js';

const NOTHING = Buffer.alloc(0);
/** How long a caller that was answered early may continue to send; as in Go's net/http. */
const UNREAD_GRACE_MS = 500;
/** Bodies of full size that one user may have under way, and how many such users there may be. */
const BODIES_PER_USER = 16;
const USERS = 16;
/** Smaller bodies of users are not counted: each connection may hold one. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 5;

/** Bounds the memory of the bodies of several requests, from their first byte until their handler was called. */
interface BodyBudget {
  /** @param cut refuses the body when its memory is needed by others; it ends its share */
  open(cut: (error: Error) => void): BodyShare;
}

/** The part of a {@link BodyBudget} that one body holds. */
interface BodyShare {
  /** @throws BffError when that many more bytes exceed the budget; nothing is taken then */
  take(bytes: number): void;
  /** Gives all of it back. */
  end(): void;
}

/** The largest body that is read from a caller. */
interface BodyBound {
  readonly bytesMax: number;
  /** The answer to a larger body, the rest of which stays unread; `payload_too_large` by default. */
  readonly refusal?: BffError;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of callers without a user. */
    bodyBudget?: BodyBudget;
  }
  interface FastifyRequest {
    /** The caller's bound, where it is narrower than the route's `bodyLimit`. */
    bodyBound: BodyBound | undefined;
  }
}

const CHARSET = /;\s*charset\s*=[\s"']*([^\s"';]+)/i;
const UTF8 = /^utf-?8$/i;

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * Reads the bodies of a listener's requests. Those of one known user, and those of all, are bounded together while they
 * arrive; afterwards, what a user may have under way bounds them.
 */
export class RequestBodies {
  private readonly budget: UserBudget;

  /** @param bodyLimit the largest body, in bytes */
  constructor(bodyLimit: number) {
    const perUserMax = BODIES_PER_USER * Math.max(bodyLimit, SMALL_BYTES);
    this.budget = new UserBudget({
      perUserMax,
      totalMax: USERS * perUserMax,
      what: 'bytes in bodies',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * A Fastify content-type parser that returns the raw bytes of a body. A body that cannot be accepted is refused before
   * a byte is read.
   */
  readonly read = (request: FastifyRequest, payload: IncomingMessage, done: Done): void => {
    const { bodyLimit } = request.routeOptions;
    const { bodyBound } = request;
    const bound = bodyBound && bodyBound.bytesMax < bodyLimit ? bodyBound : { bytesMax: bodyLimit };
    const length = Number(request.headers['content-length']);
    const fault = mediaTypeFault(request) ?? (length > bound.bytesMax ? tooLarge(bound) : undefined);
    if (fault) done(fault);
    else collect(payload, length, bound, this.budgetOf(request, length), done);
  };

  private budgetOf({ context, routeOptions }: FastifyRequest, length: number): BodyBudget | undefined {
    const { user } = context;
    if (!user || length <= SMALL_BYTES) return routeOptions.config.bodyBudget;
    let taken = 0;
    const take = (bytes: number): void => {
      this.budget.take(user.userId, bytes);
      taken += bytes;
    };
    const end = (): void => this.budget.release(user.userId, taken);
    return { open: () => ({ take, end }) };
  }
}

/** Only UTF-8 JSON without a content encoding is accepted (interface 4.1). */
function mediaTypeFault({ headers }: FastifyRequest): BffError | undefined {
  const { 'content-encoding': encoding, 'content-type': type = '' } = headers;
  const codings = encoding === undefined ? undefined : contentCodings(encoding);
  const charset = CHARSET.exec(type)?.[1];
  if (codings === undefined && (charset === undefined || UTF8.test(charset))) return undefined;
  const detail = 'Send the body in UTF-8, without a content encoding.';
  return new BffError('unsupported_media_type', { detail });
}

function tooLarge({ refusal }: BodyBound): BffError {
  return refusal ?? new BffError('payload_too_large');
}

/**
 * Keeps the bytes in one buffer that grows with what has arrived, not with what was announced: a list of chunks would take
 * hundreds of times the size of a body that is sent byte by byte. A body that arrives in one piece is not copied.
 */
function collect(
  payload: Readable,
  announced: number,
  bound: BodyBound,
  budget: BodyBudget | undefined,
  done: Done,
): void {
  let buffer: Buffer = NOTHING;
  let length = 0;
  const settle = (error: Error | null): void => {
    payload.off('data', append).off('end', finish).off('close', cut);
    done(error, buffer.subarray(0, length)); // a handler that still has to verify it holds it from now on
    share?.end();
    buffer = NOTHING;
  };
  const share = budget?.open(settle);
  const append = (chunk: Buffer): void => {
    try {
      if (chunk.length === announced) {
        share?.take(announced);
        buffer = chunk;
        length = announced;
        return;
      }
      buffer = reserve(buffer, length + chunk.length, bound, share);
      length += chunk.copy(buffer, length);
    } catch (error) {
      settle(error as Error);
    }
  };
  const finish = (): void => settle(null);
  const cut = (): void => settle(new BffError('invalid_request', { message: 'the body was cut off' }));
  payload
    .on('data', append)
    .on('end', finish)
    .on('close', cut)
    .on('error', () => undefined);
}

/** The buffer, or one at least twice as large with the same content. */
function reserve(buffer: Buffer, bytes: number, bound: BodyBound, share: BodyShare | undefined): Buffer {
  if (bytes <= buffer.length) return buffer;
  if (bytes > bound.bytesMax) throw tooLarge(bound);
  const capacity = Math.min(Math.max(bytes, 2 * buffer.length), bound.bytesMax);
  share?.take(capacity - buffer.length);
  const larger = Buffer.allocUnsafe(capacity);
  buffer.copy(larger);
  return larger;
}

/**
 * Frees the connection of a request that is answered before its body was read to the end. The rest that still arrives
 * is discarded for a moment, because closing immediately would reset the connection and could destroy the answer in
 * transit; then the connection is closed, unless the rest has arrived and it can be used again (RFC 9112 section 9.6).
 */
export function closeUnread(request: IncomingMessage, reply: FastifyReply): void {
  if (request.complete) return;
  reply.raw.once('finish', () => {
    if (request.complete) return;
    setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, UNREAD_GRACE_MS).unref();
  });
}
