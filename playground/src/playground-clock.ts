/** The time both listeners go by: the clock given, moved by a skew that tests and the control route may set. */
export class PlaygroundClock {
  private skewMs = 0;

  constructor(private readonly source: () => number) {}

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.source() + this.skewMs;

  /** Moves the playground's time ahead (positive) or behind (negative) of everybody else's. */
  skew(ms: number): void {
    this.skewMs = ms;
  }
}
