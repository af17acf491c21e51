const WINDOW_MS = 10_000;
const ROUND_MS = 5_000;
const SAMPLES_MIN = 20;
/** Most calls of one user that count towards those that are needed. */
const SAMPLES_PER_USER_MAX = 10;
const FAILING_USERS_MIN = 2;
/** Users who may try one call each in a round while the breaker is half open. */
const PROBES_MAX = 3;
/** Users of a window whose calls count. */
const USERS_MAX = 1_000;

/** How a call ended; `unknown` when it was cancelled, or says nothing about the health of the upstream. */
export type CallOutcome = 'succeeded' | 'failed' | 'unknown';

/**
 * Stops calls to an upstream that fails for several users. Each has one vote, so that no single user can open the
 * breaker or keep it open: it opens when, in a window, at least half of the calls of most users failed. After five
 * seconds it is half open: in each round a few users may try one call each, and the first that succeeds closes it.
 */
export class CircuitBreaker {
  /** Calls of each user in this window; while it is open, of those who try one in this round. */
  private readonly calls = new Map<string, { total: number; failed: number }>();
  /** True if calls are held back. */
  isOpen = false;
  private probesMax = 0;
  /** Of the window or the round. */
  private endsAt = 0;

  constructor(private readonly now: () => number) {}

  /** Milliseconds the user must wait before calling; 0 lets the call {@link enter}. */
  waitMs(user: string): number {
    if (!this.isOpen) return 0;
    const leftMs = this.endsAt - this.now();
    const mayTry = this.calls.size < this.probesMax && !this.calls.has(user);
    return leftMs <= 0 || mayTry ? 0 : leftMs;
  }

  /** Begins a call of the user, which {@link leave} ends. */
  enter(user: string): void {
    if (!this.isOpen) return;
    if (this.now() >= this.endsAt) this.begin(true, PROBES_MAX);
    this.calls.set(user, { total: 0, failed: 0 });
  }

  leave(user: string, outcome: CallOutcome): void {
    if (!this.isOpen) {
      if (outcome !== 'unknown') this.count(user, outcome === 'failed');
    } else if (outcome === 'succeeded') {
      this.begin(false);
    } else if (outcome === 'unknown') {
      this.calls.delete(user);
    }
  }

  private count(user: string, hasFailed: boolean): void {
    if (this.now() >= this.endsAt) this.begin(false);
    const tally = this.calls.get(user) ?? { total: 0, failed: 0 };
    if (tally.total === 0 && this.calls.size >= USERS_MAX) return;
    this.calls.set(user, tally);
    tally.total += 1;
    if (!hasFailed) return;
    tally.failed += 1;
    const tallies = [...this.calls.values()];
    const samples = tallies.reduce((sum, { total }) => sum + Math.min(total, SAMPLES_PER_USER_MAX), 0);
    const failing = tallies.filter(({ total, failed }) => failed * 2 >= total).length;
    const mostFail = failing >= FAILING_USERS_MIN && failing * 2 > tallies.length;
    if (mostFail && samples >= SAMPLES_MIN) this.begin(true);
  }

  /** Begins a window of calls that count, or a round in which so many users may try one. */
  private begin(isOpen: boolean, probesMax = 0): void {
    this.isOpen = isOpen;
    this.calls.clear();
    this.probesMax = probesMax;
    this.endsAt = this.now() + (isOpen ? ROUND_MS : WINDOW_MS);
  }
}
