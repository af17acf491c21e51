const ITEMS_MAX = 256;

/**
 * Work of requests that can wait a moment. It is collected and done in batches, because doing it within each request
 * takes several times the processor time (ADR 0004).
 */
export class Backlog<T> {
  private items: T[] = [];
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param work done for each item, in order; must not throw
   * @param delayMs how long an item waits at most; without it, until there are 256 items or {@link clear} is called
   */
  constructor(
    private readonly work: (item: T) => void,
    private readonly delayMs?: number,
  ) {}

  add(item: T): void {
    this.items.push(item);
    if (this.items.length >= ITEMS_MAX) this.clear();
    else if (this.delayMs !== undefined) this.timer ??= setTimeout(() => this.clear(), this.delayMs);
  }

  /** Does all the work that is waiting. */
  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const items = this.items;
    this.items = [];
    for (const item of items) this.work(item);
  }
}
