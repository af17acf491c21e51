/** Bounds deliveries under way. One that waits for something else gives its place up, and waits for one again, in order. */
export class Places {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param onFree called when a place is free that nobody waits for */
  constructor(
    private readonly max: number,
    private readonly onFree: () => void,
  ) {}

  get free(): number {
    return this.max - this.taken;
  }

  /** Takes one of the {@link free} places. */
  take(): void {
    this.taken += 1;
  }

  /** Takes the next place that is given up. */
  async wait(): Promise<void> {
    if (this.free > 0) return this.take();
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) return next();
    this.taken -= 1;
    this.onFree();
  }
}
