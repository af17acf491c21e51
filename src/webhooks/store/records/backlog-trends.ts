const WINDOW_MS = 5 * 60_000;
const SPACING_MS = 1_000;

interface Level {
  readonly time: number;
  readonly waiting: number;
}

/**
 * Judges when backlogs end from how they have shrunk since their highest level in the last five minutes. What has arrived
 * meanwhile counts, and so does what other replicas have delivered.
 */
export class BacklogTrends {
  private readonly levels = new Map<string, Level[]>();

  /** @param now epoch milliseconds */
  constructor(private readonly now: () => number) {}

  /**
   * Notes how many events wait for a sink.
   * @returns seconds until none does, at the present rate; undefined while the backlog does not shrink
   */
  endSeconds(sink: string, waiting: number): number | undefined {
    const time = this.now();
    const known = (this.levels.get(sink) ?? []).filter((level) => level.time > time - WINDOW_MS);
    const last = known.at(-1);
    if (!last || time - last.time >= SPACING_MS) known.push({ time, waiting });
    this.levels.set(sink, known);
    if (waiting === 0) return 0;
    const highest = known.reduce((a, b) => (b.waiting >= a.waiting ? b : a));
    const delivered = highest.waiting - waiting;
    return delivered > 0 ? (waiting * (time - highest.time)) / delivered / 1_000 : undefined;
  }
}
