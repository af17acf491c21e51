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
  const totalMax = USERS * perUserMax;
  const ofUsers = new UserBudget({ perUserMax, totalMax, what: 'bytes in bodies', retryAfterSeconds: 5 });
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
    const bytesMax = userRefusal ? Math.min(STRANGER_BODY_BYTES_MAX, bodyLimit) : bodyLimit;
    const refuse = (): BffError => userRefusal ?? new BffError('payload_too_large');
    const length = Number(headers['content-length']);
    const fault = mediaTypeFault(headers) ?? (length > bytesMax ? refuse() : undefined);
    if (fault) return done(fault);
    const open: OpenShare = (cut) => {
      if (!user) return config.bodyBudget?.open(cut);
      return length <= SMALL_BYTES ? undefined : shareOf(user.userId);
    };
    collect(payload, { length, bytesMax, refuse, open }, done);
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
  bounds: { length: number; bytesMax: number; refuse: () => BffError; open: OpenShare },
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
  const share = bounds.open(settle);
  const append = (chunk: Buffer): void => {
    try {
      length += chunk.length;
      if (chunk.length === bounds.length) {
        share?.take(length);
        buffer = chunk;
        return;
      }
      if (length > buffer.length) {
        if (length > bounds.bytesMax) throw bounds.refuse();
        const capacity = Math.min(Math.max(length, 2 * buffer.length), bounds.bytesMax);
        share?.take(capacity - buffer.length);
        buffer = Buffer.concat([buffer], capacity);
      }
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
