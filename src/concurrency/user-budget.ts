import { BffError } from '../errors/bff-error.js';

/** The most that one user, and all users together, may hold. */
interface BudgetBounds {
  readonly perUserMax: number;
  readonly totalMax: number;
  /** The plural of the resource, for the log: "downloads". */
  readonly what: string;
  /** `Retry-After` of a refusal; 1 by default. */
  readonly retryAfterSeconds?: number;
}

/**
 * Bounds what is held at one time, by one user and by all users together: downloads, streams, bytes. Nothing is
 * remembered of a user who holds nothing. Every amount taken must be released.
 */
export class UserBudget {
  private readonly held = new Map<string, number>();
  /** The amount that all users hold together. */
  total = 0;

  constructor(private readonly bounds: BudgetBounds) {}

  /**
   * Takes `amount`, or nothing.
   * @param perUserMax the bound of this user where it is not that of all
   * @throws BffError `rate_limited` when it is too much for the user, `unavailable` when it is for all together
   */
  take(user: string, amount = 1, perUserMax = this.bounds.perUserMax): void {
    this.check(user, amount, perUserMax);
    this.add(user, amount);
  }

  /** Throws where {@link take} would; takes nothing. */
  check(user: string, amount = 1, perUserMax = this.bounds.perUserMax): void {
    const { totalMax, what, retryAfterSeconds = 1 } = this.bounds;
    const isTooMuch = (this.held.get(user) ?? 0) + amount > perUserMax;
    if (!isTooMuch && this.total + amount <= totalMax) return;
    const message = `too many ${what} of ${isTooMuch ? 'one user' : 'all users'}`;
    throw new BffError(isTooMuch ? 'rate_limited' : 'unavailable', { message, retryAfterSeconds });
  }

  /** Takes `amount` even beyond the bounds, for what is held already. */
  add(user: string, amount: number): void {
    const own = (this.held.get(user) ?? 0) + amount;
    this.total += amount;
    if (own > 0) this.held.set(user, own);
    else this.held.delete(user);
  }

  /** Releases what was taken. */
  release(user: string, amount = 1): void {
    this.add(user, -amount);
  }
}
