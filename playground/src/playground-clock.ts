/** The time that both listeners use: the given clock, plus a skew that tests and the control route may set. */
export class PlaygroundClock {
  private skewMs = 0;

  constructor(private readonly source: () => number) {}

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.source() + this.skewMs;

  /** Moves the playground's time ahead of (positive) or behind (negative) everyone else's. */
  skew(ms: number): void {
    this.skewMs = ms;
  }
}
