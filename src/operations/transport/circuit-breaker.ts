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
 * Stops calls to an upstream that fails for several users. Each user has one vote, however many calls they make, so that
 * no single user can open the breaker or keep it open: it opens when, in a window of ten seconds, at least half of the
 * calls of most users failed, of two at least, and at least twenty calls counted. After five seconds it is half open: in
 * each round of five seconds a few users may try one call each, and the first that succeeds closes it.
 */
export class CircuitBreaker {
  /** Calls of each user in this window. */
  private readonly tallies = new Map<string, { total: number; failed: number }>();
  /** Users who try a call in this round. */
  private readonly probing = new Set<string>();
  private isOpened = false;
  /** Of the window or the round. */
  private endsAt = 0;
  private probesMax = 0;
  /** Changes whenever the breaker opens or closes: the outcome of a call from before the change does not count. */
  private epoch = 0;

  constructor(private readonly now: () => number) {}

  /** True if calls are held back. */
  get isOpen(): boolean {
    return this.isOpened;
  }

  /** Milliseconds the user must wait before calling; 0 lets the call {@link enter}. */
  waitMs(user: string): number {
    if (!this.isOpened) return 0;
    const leftMs = this.endsAt - this.now();
    const mayProbe = this.probing.size < this.probesMax && !this.probing.has(user);
    return leftMs <= 0 || mayProbe ? 0 : leftMs;
  }

  /** Begins a call of the user, which {@link leave} ends. @returns the epoch, for its end */
  enter(user: string): number {
    if (this.isOpened) {
      if (this.now() >= this.endsAt) this.begin(ROUND_MS, PROBES_MAX);
      this.probing.add(user);
    }
    return this.epoch;
  }

  /** @param epoch that the call began in */
  leave(user: string, epoch: number, outcome: CallOutcome): void {
    if (epoch !== this.epoch) return;
    if (!this.isOpened) {
      if (outcome !== 'unknown') this.count(user, outcome === 'failed');
    } else if (outcome === 'succeeded') {
      this.turn(false);
    } else if (outcome === 'unknown') {
      this.probing.delete(user);
    }
  }

  private count(user: string, hasFailed: boolean): void {
    if (this.now() >= this.endsAt) this.begin(WINDOW_MS);
    const tally = this.tallies.get(user) ?? { total: 0, failed: 0 };
    if (tally.total === 0 && this.tallies.size >= USERS_MAX) return;
    this.tallies.set(user, tally);
    tally.total += 1;
    if (!hasFailed) return;
    tally.failed += 1;
    let [samples, failing] = [0, 0];
    for (const { total, failed } of this.tallies.values()) {
      samples += Math.min(total, SAMPLES_PER_USER_MAX);
      if (failed * 2 >= total) failing += 1;
    }
    const mostFail = failing >= FAILING_USERS_MIN && failing * 2 > this.tallies.size;
    if (mostFail && samples >= SAMPLES_MIN) this.turn(true);
  }

  /** Opens, with a round in which nobody may try, or closes. */
  private turn(isOpened: boolean): void {
    this.isOpened = isOpened;
    this.epoch += 1;
    this.begin(isOpened ? ROUND_MS : WINDOW_MS);
  }

  private begin(ms: number, probesMax = 0): void {
    this.tallies.clear();
    this.probing.clear();
    this.probesMax = probesMax;
    this.endsAt = this.now() + ms;
  }
}
