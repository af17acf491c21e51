const WINDOW_MS = 10_000;
const OPEN_MS = 5_000;
const SAMPLES_MIN = 20;
/** Most calls of one user that count towards those that are needed. */
const SAMPLES_PER_USER_MAX = 10;
const FAILING_USERS_MIN = 2;
/** Users who may try one call each in a round while the breaker is half open. */
const PROBES_MAX = 3;
const USERS_MAX = 10_000;

/** How a call ended; `unknown` when it was cancelled, or says nothing about the health of the upstream. */
export type CallOutcome = 'succeeded' | 'failed' | 'unknown';

interface Tally {
  total: number;
  failed: number;
}

/**
 * Stops calls to an upstream that fails for several users. Each user has one vote, however many calls they make, so that
 * no single user can open the breaker or keep it open: it opens when, in a window of ten seconds, at least half of the
 * calls of most users failed, of two at least, and at least twenty calls counted. After five seconds it is half open: in
 * each round of five seconds a few users may try one call each, and the first that succeeds closes it.
 */
export class CircuitBreaker {
  private readonly tallies = new Map<string, Tally>();
  private samples = 0;
  private failingUsers = 0;
  private windowEnd = 0;
  private openUntil = 0;
  private readonly probing = new Set<string>();
  private roundEnd = 0;
  /** Changes whenever the breaker opens or closes: the outcome of a call from before the change does not count. */
  private epoch = 0;

  constructor(private readonly now: () => number) {}

  /** True if calls are held back. */
  get isOpen(): boolean {
    return this.openUntil > 0;
  }

  /** Milliseconds the user must wait before calling; 0 lets the call {@link enter}. */
  waitMs(user: string): number {
    const now = this.isOpen ? this.now() : Infinity;
    if (now < this.openUntil) return this.openUntil - now;
    if (now >= this.roundEnd) return 0;
    const mayProbe = this.probing.size < PROBES_MAX && !this.probing.has(user);
    return mayProbe ? 0 : this.roundEnd - now;
  }

  /** Begins a call of the user, which {@link leave} ends. @returns the epoch, for its end */
  enter(user: string): number {
    if (this.isOpen) this.probe(user);
    return this.epoch;
  }

  /** @param epoch that the call began in */
  leave(user: string, epoch: number, outcome: CallOutcome): void {
    if (epoch !== this.epoch) return;
    if (!this.isOpen) {
      if (outcome !== 'unknown') this.count(user, outcome === 'failed');
    } else if (outcome === 'succeeded') {
      this.turn(0);
    } else if (outcome === 'unknown') {
      this.probing.delete(user);
    }
  }

  private probe(user: string): void {
    if (this.now() >= this.roundEnd) {
      this.probing.clear();
      this.roundEnd = this.now() + OPEN_MS;
    }
    this.probing.add(user);
  }

  private count(user: string, hasFailed: boolean): void {
    if (this.now() >= this.windowEnd) this.startWindow();
    const tally = this.tallies.get(user) ?? { total: 0, failed: 0 };
    if (tally.total === 0 && this.tallies.size >= USERS_MAX) return;
    this.tallies.set(user, tally);
    if (isFailing(tally)) this.failingUsers -= 1;
    tally.total += 1;
    if (hasFailed) tally.failed += 1;
    if (isFailing(tally)) this.failingUsers += 1;
    if (tally.total <= SAMPLES_PER_USER_MAX) this.samples += 1;
    const { samples, failingUsers, tallies } = this;
    const mostFail = failingUsers >= FAILING_USERS_MIN && failingUsers * 2 > tallies.size;
    if (hasFailed && mostFail && samples >= SAMPLES_MIN) this.turn(this.now() + OPEN_MS);
  }

  private startWindow(): void {
    this.tallies.clear();
    [this.samples, this.failingUsers] = [0, 0];
    this.windowEnd = this.now() + WINDOW_MS;
  }

  /** Opens, or closes with 0. */
  private turn(openUntil: number): void {
    this.openUntil = openUntil;
    this.epoch += 1;
    this.roundEnd = 0;
    this.probing.clear();
    this.startWindow();
  }
}

function isFailing({ total, failed }: Tally): boolean {
  return total > 0 && failed * 2 >= total;
}
