import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../../concurrency/cache-bounds.js';
import { Default } from '../../config/default.js';
import { Metrics } from '../../telemetry/metrics.js';
import { ALL_USERS, CircuitBreaker, ONE_USER, type Settle } from './circuit-breaker.js';
import type { Credential } from './credential.js';

const USERS_MAX = 10_000;

/** Whose call it is. */
type Caller = Pick<Credential, 'user' | 'voter'>;

/**
 * The circuit of the GraphQL endpoint: one breaker for all users, which opens only when the calls of several fail, and
 * one for each user, so that a user whose calls fail is held back alone. For all users, machines and deliveries of events
 * have one vote together: deliveries for many hirers that fail are no users. The breakers of the users who have not called
 * for longest are forgotten (ADR 0012).
 */
@Injectable()
export class UserBreakers {
  private readonly shared: CircuitBreaker;
  private readonly own = new LRUCache<string, CircuitBreaker>(cacheBounds(USERS_MAX));

  constructor(
    metrics: Metrics,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.shared = new CircuitBreaker(ALL_USERS, now);
    metrics.circuit('graphql', () => this.shared.isOpen);
  }

  /** Milliseconds to wait before calling because of the user's own failures. */
  ownWaitMs({ user }: Caller): number {
    return this.own.get(user)?.waitMs(user) ?? 0;
  }

  /** Milliseconds to wait before calling because the upstream fails. */
  sharedWaitMs({ voter }: Caller): number {
    return this.shared.waitMs(voter);
  }

  /** Begins a call of the user; the function that is returned must be called at its end. */
  enter({ user, voter }: Caller): Settle {
    const settles = [this.ownOf(user).enter(user), this.shared.enter(voter)];
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
