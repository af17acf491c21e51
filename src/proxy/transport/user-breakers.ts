import { LRUCache } from 'lru-cache';
import { ALL_USERS, CircuitBreaker, ONE_USER, type Settle } from './circuit-breaker.js';

const USERS_MAX = 10_000;

/**
 * The circuit of an upstream: one breaker for all users, which takes failures of several to open, and one for each user,
 * so that a user whose calls fail is held back alone. Those of users who have not called for longest are forgotten.
 */
export class UserBreakers {
  private readonly shared: CircuitBreaker;
  private readonly own = new LRUCache<string, CircuitBreaker>({ max: USERS_MAX });

  constructor(private readonly now: () => number) {
    this.shared = new CircuitBreaker(ALL_USERS, now);
  }

  /** Whether all users are held back. */
  get isOpen(): boolean {
    return this.shared.isOpen;
  }

  /** Milliseconds to wait before calling because of the user's own failures. */
  ownWaitMs(user: string): number {
    return this.own.get(user)?.waitMs(user) ?? 0;
  }

  /** Milliseconds to wait before calling because the upstream fails. */
  sharedWaitMs(user: string): number {
    return this.shared.waitMs(user);
  }

  /** A call of the user begins; what is returned must be called at its end. */
  enter(user: string): Settle {
    const settles = [this.ownOf(user), this.shared].map((breaker) => breaker.enter(user));
    return (outcome) => {
      for (const settle of settles) settle(outcome);
    };
  }

  private ownOf(user: string): CircuitBreaker {
    const known = this.own.get(user);
    if (known) return known;
    const breaker = new CircuitBreaker(ONE_USER, this.now);
    this.own.set(user, breaker);
    return breaker;
  }
}
