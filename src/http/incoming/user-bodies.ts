import type { FastifyInstance } from 'fastify';
import { UserBudget } from '../../concurrency/user-budget.js';
import { hasBody } from './request-body.js';

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
    if (context.user && !isSmall && hasBody(request.raw)) {
      const { userId } = context.user;
      let taken = 0;
      const take = (bytes: number): void => {
        budget.take(userId, bytes);
        taken += bytes;
      };
      request.bodyBudget = { open: () => ({ take, end: () => undefined }) };
      context.onEnd(() => budget.release(userId, taken));
    }
    done(null, payload);
  });
}
