import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { UserBudget } from '../../concurrency/user-budget.js';
import { BffError } from '../../errors/bff-error.js';
import { isUncoded } from '../header-values.js';

const NOTHING = Buffer.alloc(0);
/** How long a caller that was answered early may continue to send; as in Go's net/http. */
const UNREAD_GRACE_MS = 500;
/** Bodies of full size that one user may have under way, and how many such users there may be. */
const BODIES_PER_USER = 16;
const USERS = 16;
/** Smaller bodies of users are not counted: each connection may hold one. */
const SMALL_BYTES = 16_384;

/** Largest body that is read from a caller without a valid token, on a route of access `optional-end-user`. */
export const STRANGER_BODY_BYTES_MAX = 2_048;

/** The memory of one body, from its first byte until its handler was called. */
export interface BodyShare {
  /** @throws BffError when that many more bytes exceed what is bounded together; nothing is taken then */
  take(bytes: number): void;
  end(): void;
}

/** Opens the share of a body. @param cut refuses the body when its memory is needed by others; it ends its share */
type OpenShare = (cut: (error: Error) => void) => BodyShare | undefined;

/** The largest body that is read from a caller, and the answer to a larger one, the rest of which stays unread. */
interface BodyBound {
  readonly bytesMax: number;
  readonly refuse: () => BffError;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of callers without a user. */
    bodyBudget?: { readonly open: OpenShare };
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
  const shareOf = (userId: string): BodyShare => {
    let taken = 0;
    const take = (bytes: number): void => {
      ofUsers.take(userId, bytes);
      taken += bytes;
    };
    return { take, end: () => ofUsers.release(userId, taken) };
  };
  return ({ context, headers }: FastifyRequest, payload: IncomingMessage, done: Done): void => {
    const { user, userRefusal, config } = context;
    const bound = {
      bytesMax: userRefusal ? Math.min(STRANGER_BODY_BYTES_MAX, bodyLimit) : bodyLimit,
      refuse: () => userRefusal ?? new BffError('payload_too_large'),
    };
    const length = Number(headers['content-length']);
    const fault = mediaTypeFault(headers) ?? (length > bound.bytesMax ? bound.refuse() : undefined);
    if (fault) return done(fault);
    collect(payload, length, bound, done, (cut) => {
      if (!user) return config.bodyBudget?.open(cut);
      return length <= SMALL_BYTES ? undefined : shareOf(user.userId);
    });
  };
}

/** Only UTF-8 JSON without a content encoding is accepted (interface 4.1). */
function mediaTypeFault(headers: IncomingHttpHeaders): BffError | undefined {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (isUncoded(headers) && UTF8.test(charset)) return undefined;
  const detail = 'Send the body in UTF-8, without a content encoding.';
  return new BffError('unsupported_media_type', { detail });
}

/**
 * Keeps the bytes in one buffer that grows with what has arrived, not with what was announced: a list of chunks would take
 * hundreds of times the size of a body that is sent byte by byte. A body that arrives in one piece is not copied.
 */
function collect(
  payload: IncomingMessage,
  announced: number,
  bound: BodyBound,
  done: Done,
  open: OpenShare,
): void {
  let buffer: Buffer = NOTHING;
  let length = 0;
  const settle = (error: Error | null): void => {
    payload.off('data', append).off('end', finish).off('close', cut);
    done(error, buffer.subarray(0, length)); // a handler that still has to verify it holds it from now on
    share?.end();
    buffer = NOTHING;
  };
  const share = open(settle);
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
  if (bytes > bound.bytesMax) throw bound.refuse();
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
export function closeUnread(request: IncomingMessage): void {
  if (request.complete) return;
  const close = (): void => {
    if (!request.complete) request.destroy();
  };
  setTimeout(close, UNREAD_GRACE_MS).unref();
}
