const WINDOW_MS = 10_000;
const BUCKET_MS = 1_000;
const SAMPLE_MIN = 20;
const FAILED_SHARE = 0.5;
const OPEN_MS = 5_000;

interface Bucket {
  second: number;
  total: number;
  failed: number;
}

/**
 * Stops calling an upstream that fails: opens when at least half of at least twenty calls of the last ten seconds
 * failed, lets one call try after five seconds, and closes when that one succeeds.
 */
export class CircuitBreaker {
  private readonly buckets: Bucket[] = Array.from({ length: WINDOW_MS / BUCKET_MS }, () => ({
    second: -1,
    total: 0,
    failed: 0,
  }));
  private openUntil = 0;
  private probing = false;

  constructor(private readonly now: () => number) {}

  /** Milliseconds to wait before calling; 0 lets the call through, which must then be settled. */
  get waitMs(): number {
    if (this.openUntil === 0) return 0;
    const left = this.openUntil - this.now();
    return left > 0 ? left : this.probing ? BUCKET_MS : 0;
  }

  /** A call begins: while the breaker is half open it is the probe. */
  enter(): void {
    if (this.openUntil > 0) this.probing = true;
  }

  /** @param outcome `unknown` for a call that was given up before it could tell */
  settle(outcome: 'succeeded' | 'failed' | 'unknown'): void {
    if (this.probing) this.settleProbe(outcome);
    else if (this.openUntil === 0 && outcome !== 'unknown') this.count(outcome === 'failed');
  }

  private settleProbe(outcome: 'succeeded' | 'failed' | 'unknown'): void {
    this.probing = false;
    if (outcome === 'failed') this.openUntil = this.now() + OPEN_MS;
    if (outcome === 'succeeded') this.close();
  }

  private count(failed: boolean): void {
    const second = Math.floor(this.now() / BUCKET_MS);
    const bucket = this.buckets[second % this.buckets.length]!;
    if (bucket.second !== second) Object.assign(bucket, { second, total: 0, failed: 0 });
    bucket.total += 1;
    if (!failed) return;
    bucket.failed += 1;
    const recent = this.buckets.filter((one) => second - one.second < this.buckets.length);
    const total = recent.reduce((sum, one) => sum + one.total, 0);
    const failures = recent.reduce((sum, one) => sum + one.failed, 0);
    if (total >= SAMPLE_MIN && failures >= total * FAILED_SHARE) this.openUntil = this.now() + OPEN_MS;
  }

  private close(): void {
    this.openUntil = 0;
    for (const bucket of this.buckets) bucket.second = -1;
  }
}
