import type { IncomingMessage } from 'node:http';
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

/** Bounds the memory of the bodies of several requests, from their first byte until their handler was called. */
export interface BodyBudget {
  /** @param cut refuses the body when its memory is needed by others; it ends its share */
  open(cut: (error: Error) => void): BodyShare;
}

export interface BodyShare {
  /** @throws BffError when that many more bytes exceed the budget; nothing is taken then */
  take(bytes: number): void;
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
 * A Fastify content-type parser that returns the raw bytes of a body; one that cannot be accepted is refused unread.
 * Those of a known user, and of all, are bounded together while they arrive; then, what a user may have under way
 * bounds them.
 */
export function bodyReader(bodyLimit: number) {
  const perUserMax = BODIES_PER_USER * Math.max(bodyLimit, SMALL_BYTES);
  const ofUsers = new UserBudget({
    perUserMax,
    totalMax: USERS * perUserMax,
    what: 'bytes in bodies',
    retryAfterSeconds: 5,
  });
  return (request: FastifyRequest, payload: IncomingMessage, done: Done): void => {
    const { bodyBound, context, headers, routeOptions } = request;
    const isNarrow = bodyBound !== undefined && bodyBound.bytesMax < routeOptions.bodyLimit;
    const bound = isNarrow ? bodyBound : { bytesMax: routeOptions.bodyLimit };
    const length = Number(headers['content-length']);
    const fault = mediaTypeFault(request) ?? (length > bound.bytesMax ? tooLarge(bound) : undefined);
    if (fault) return done(fault);
    const { user } = context;
    const isFree = !user || length <= SMALL_BYTES;
    const budget = isFree ? routeOptions.config.bodyBudget : budgetOf(user.userId, ofUsers);
    collect(payload, length, bound, budget, done);
  };
}

function budgetOf(userId: string, ofUsers: UserBudget): BodyBudget {
  let taken = 0;
  const take = (bytes: number): void => {
    ofUsers.take(userId, bytes);
    taken += bytes;
  };
  return { open: () => ({ take, end: () => ofUsers.release(userId, taken) }) };
}

/** Only UTF-8 JSON without a content encoding is accepted (interface 4.1). */
function mediaTypeFault({ headers }: FastifyRequest): BffError | undefined {
  const { 'content-encoding': encoding, 'content-type': type = '' } = headers;
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8';
  if (contentCodings(encoding) === undefined && UTF8.test(charset)) return undefined;
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
  payload: IncomingMessage,
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
      length += chunk.length;
      if (chunk.length === announced) {
        share?.take(announced);
        buffer = chunk;
        return;
      }
      if (length > buffer.length) buffer = enlarge(buffer, length, bound, share);
      chunk.copy(buffer, length - chunk.length);
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

/** A buffer at least twice as large, with the same content and room for so many bytes. */
function enlarge(buffer: Buffer, bytes: number, bound: BodyBound, share: BodyShare | undefined): Buffer {
  if (bytes > bound.bytesMax) throw tooLarge(bound);
  const capacity = Math.min(Math.max(bytes, 2 * buffer.length), bound.bytesMax);
  share?.take(capacity - buffer.length);
  const larger = Buffer.allocUnsafe(capacity);
  buffer.copy(larger);
  return larger;
}

/**
 * Frees the connection of a request that is answered before its body was read. What still arrives is discarded for a
 * moment, as a reset could destroy the answer in transit; then it is closed, unless all has arrived (RFC 9112 section
 * 9.6).
 */
export function closeUnread(request: IncomingMessage, reply: FastifyReply): void {
  if (request.complete) return;
  reply.raw.once('finish', () => {
    setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, UNREAD_GRACE_MS).unref();
  });
}
