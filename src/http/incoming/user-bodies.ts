import type { FastifyInstance } from 'fastify';
import { UserBudget } from '../../concurrency/user-budget.js';
import type { RequestContext } from '../request-context.js';
import type {} from '../request-end.js';
import { hasBody, type BodyBudget, type BodyShare } from './request-body.js';

/** Bodies of full size that one user may have under way, and how many such users there may be. */
const BODIES_PER_USER = 16;
const USERS = 16;
/** Smaller bodies are not counted: each connection may hold one. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 5;

/**
 * Bounds the bodies that known users send to a listener, those of one user and those of all, in `bodyLimit` of each. A
 * body counts from its first byte to the end of the answer.
 */
export function boundUserBodies(listener: FastifyInstance, bodyLimit: number): void {
  const perUserMax = BODIES_PER_USER * Math.max(bodyLimit, SMALL_BYTES);
  const totalMax = USERS * perUserMax;
  const what = 'bytes in bodies';
  const budget = new UserBudget({ perUserMax, totalMax, what, retryAfterSeconds: RETRY_AFTER_SECONDS });
  listener.addHook('preParsing', (request, _reply, payload, done) => {
    const isSmall = Number(request.headers['content-length']) <= SMALL_BYTES;
    const { context } = request;
    if (context.user && !isSmall && hasBody(request.raw)) request.bodyBudget = new UserBody(context, budget);
    done(null, payload);
  });
  listener.onEnd(({ context }) => {
    if (context.bodyBytes > 0) budget.release(context.endUser.userId, context.bodyBytes);
  });
}

/** The one body of a request, in the budget of its user. */
class UserBody implements BodyBudget, BodyShare {
  constructor(
    private readonly context: RequestContext,
    private readonly budget: UserBudget,
  ) {}

  open(): BodyShare {
    return this;
  }

  take(bytes: number): void {
    this.budget.take(this.context.endUser.userId, bytes);
    this.context.bodyBytes += bytes;
  }

  end(): void {
    // what was taken counts until the request has ended
  }
}
