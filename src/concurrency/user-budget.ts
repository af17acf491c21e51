import { BffError } from '../errors/bff-error.js';

/** The most that one user, and all users together, may hold. */
interface BudgetBounds {
  readonly perUserMax: number;
  readonly totalMax: number;
  /** The plural of the resource, for the log: "downloads". */
  readonly what: string;
  /** `Retry-After` of a refusal. */
  readonly retryAfterSeconds?: number;
}

/**
 * Bounds what is held at one time, by one user and by all users together: operations, downloads, streams, bytes.
 * Nothing is remembered of a user who holds nothing. Every amount taken must be released.
 */
export class UserBudget {
  private readonly held = new Map<string, number>();
  private heldByAll = 0;

  constructor(private readonly bounds: BudgetBounds) {}

  /** The amount that all users hold together. */
  get total(): number {
    return this.heldByAll;
  }

  /**
   * Takes `amount`, or nothing.
   * @param perUserMax the bound of this user where it is not that of all
   * @throws BffError `rate_limited` when it is too much for the user, `unavailable` when it is for all together
   */
  take(user: string, amount = 1, perUserMax = this.bounds.perUserMax): void {
    const refusal = this.refusalOf(user, amount, perUserMax);
    if (refusal) throw refusal;
    this.add(user, amount);
  }

  /** Why {@link take} would throw; takes nothing. */
  refusalOf(user: string, amount = 1, perUserMax = this.bounds.perUserMax): BffError | undefined {
    const { totalMax, what } = this.bounds;
    if (this.heldBy(user) + amount > perUserMax) return this.refusal('rate_limited', `${what} of one user`);
    if (this.heldByAll + amount > totalMax) return this.refusal('unavailable', `${what} of all users`);
    return undefined;
  }

  /** Takes as much of `amount` as there is room for, and returns how much that was. */
  takeUpTo(user: string, amount: number): number {
    const { perUserMax, totalMax } = this.bounds;
    const room = Math.min(perUserMax - this.heldBy(user), totalMax - this.heldByAll);
    const taken = Math.max(0, Math.min(amount, room));
    this.add(user, taken);
    return taken;
  }

  /** Takes `amount` even beyond the bounds, for what is held already. */
  add(user: string, amount: number): void {
    const own = this.heldBy(user) + amount;
    this.heldByAll += amount;
    if (own > 0) this.held.set(user, own);
    else this.held.delete(user);
  }

  /** Releases what was taken. */
  release(user: string, amount = 1): void {
    this.add(user, -amount);
  }

  private heldBy(user: string): number {
    return this.held.get(user) ?? 0;
  }

  private refusal(code: 'rate_limited' | 'unavailable', what: string): BffError {
    const { retryAfterSeconds } = this.bounds;
    return new BffError(code, {
      message: `too many ${what}`,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }
}
