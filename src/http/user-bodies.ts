import type { FastifyInstance } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { hasBody, type BodyBudget } from './request-body.js';

/** Bodies of full size that one user may have under way, and how many such users there may be. */
const BODIES_PER_USER = 16;
const USERS = 16;
/** So little may anyone hold on each connection. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 5;

/** Bounds what the bodies of one user hold together, and those of all users: from their first byte to the end of the answer. */
export class UserBodies {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(private readonly bounds: { readonly perUserMax: number; readonly totalMax: number }) {}

  /** Bytes held now. */
  get bytes(): number {
    return this.total;
  }

  /** A share for one request; what it has taken is given back by `close`, and not when the body was read. */
  open(user: string): BodyBudget & { close(): void } {
    let taken = 0;
    const take = (bytes: number): void => {
      this.add(user, bytes);
      taken += bytes;
    };
    return {
      open: () => ({ take, end: () => undefined }),
      close: () => {
        this.add(user, -taken);
        taken = 0;
      },
    };
  }

  /** @throws BffError `rate_limited` when the user holds too much, `unavailable` when all together do */
  private add(user: string, bytes: number): void {
    const own = (this.held.get(user) ?? 0) + bytes;
    if (bytes > 0 && own > this.bounds.perUserMax) {
      throw new BffError('rate_limited', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        message: 'too many bytes of one user under way',
      });
    }
    if (bytes > 0 && this.total + bytes > this.bounds.totalMax) {
      throw new BffError('unavailable', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        message: 'too many bytes of all users under way',
      });
    }
    this.total += bytes;
    if (own > 0) this.held.set(user, own);
    else this.held.delete(user);
  }
}

/** Bounds the bodies that known users send to a listener, in `bodyLimit` of each. */
export function boundUserBodies(listener: FastifyInstance, bodyLimit: number): void {
  const perUserMax = BODIES_PER_USER * Math.max(bodyLimit, SMALL_BYTES);
  const bodies = new UserBodies({ perUserMax, totalMax: USERS * perUserMax });
  listener.addHook('preParsing', (request, _reply, payload, done) => {
    const isSmall = Number(request.headers['content-length']) <= SMALL_BYTES;
    const { context } = request;
    if (context.user && !isSmall && hasBody(request.raw)) {
      const budget = (request.bodyBudget = bodies.open(context.user.userId));
      context.onEnd(() => budget.close());
    }
    done(null, payload);
  });
}
