/**
 * What was last read, for a time. Those who ask meanwhile share one reading, also one that is under way; one that failed
 * is not kept.
 */
export class RecentReading<T> {
  private reading: Promise<T> | undefined;
  private begunAt = -Infinity;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly keptMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get(): Promise<T> {
    if (this.reading && this.now() - this.begunAt < this.keptMs) return this.reading;
    const reading = this.read();
    this.reading = reading;
    this.begunAt = this.now();
    reading.catch(() => {
      if (this.reading === reading) this.forget();
    });
    return reading;
  }

  /** Has the next one who asks read anew. */
  forget(): void {
    this.reading = undefined;
  }
}
