const WINDOW_MS = 10_000;
const OPEN_MS = 5_000;
const SAMPLES_MIN = 20;
/** Most calls of one user that count towards those that are needed. */
const SAMPLES_PER_USER_MAX = 10;
const FAILING_USERS_MIN = 2;
const FAILED_SHARE = 0.5;
/** Users who may try one call each in a round while the breaker is half open. */
const PROBES_MAX = 3;
const USERS_MAX = 10_000;

/** How a call ended; `unknown` when it was cancelled, or says nothing about the health of the upstream. */
export type CallOutcome = 'succeeded' | 'failed' | 'unknown';

/** Reports the end of a call to the breaker that let it through. */
export type Settle = (outcome: CallOutcome) => void;

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
    if (this.openUntil === 0) return 0;
    const now = this.now();
    if (now < this.openUntil) return this.openUntil - now;
    if (now >= this.roundEnd) return 0;
    const mayProbe = this.probing.size < PROBES_MAX && !this.probing.has(user);
    return mayProbe ? 0 : this.roundEnd - now;
  }

  /** Begins a call of the user; the function that is returned must be called at its end. */
  enter(user: string): Settle {
    if (this.openUntil > 0) return this.probe(user);
    const { epoch } = this;
    return (outcome) => {
      if (epoch === this.epoch && outcome !== 'unknown') this.count(user, outcome === 'failed');
    };
  }

  private probe(user: string): Settle {
    const { epoch } = this;
    const now = this.now();
    if (now >= this.roundEnd) {
      this.probing.clear();
      this.roundEnd = now + OPEN_MS;
    }
    this.probing.add(user);
    return (outcome) => {
      if (epoch !== this.epoch) return;
      if (outcome === 'succeeded') this.turn(0);
      if (outcome === 'unknown') this.probing.delete(user);
    };
  }

  private count(user: string, failed: boolean): void {
    if (this.now() >= this.windowEnd) this.startWindow();
    const tally = this.tallyOf(user);
    if (!tally) return;
    if (isFailing(tally)) this.failingUsers -= 1;
    tally.total += 1;
    if (failed) tally.failed += 1;
    if (isFailing(tally)) this.failingUsers += 1;
    if (tally.total <= SAMPLES_PER_USER_MAX) this.samples += 1;
    if (failed && this.mostFail()) this.turn(this.now() + OPEN_MS);
  }

  private mostFail(): boolean {
    const { failingUsers, samples, tallies } = this;
    return samples >= SAMPLES_MIN && failingUsers >= FAILING_USERS_MIN && failingUsers > tallies.size / 2;
  }

  private tallyOf(user: string): Tally | undefined {
    const known = this.tallies.get(user);
    if (known || this.tallies.size >= USERS_MAX) return known;
    const tally = { total: 0, failed: 0 };
    this.tallies.set(user, tally);
    return tally;
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
  return total > 0 && failed >= total * FAILED_SHARE;
}
