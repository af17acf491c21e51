/**
 * How a request ended: right, without a connection, refused for now (502, 503 or 504), or in a way that must not be. The
 * last two say how.
 */
export type Outcome = 'right' | 'unconnected' | { readonly refused: string } | { readonly wrong: string };

/** Counts by description. */
export type Counts = Readonly<Record<string, number>>;

/** What became of the requests of one stretch of time. */
export interface Stretch {
  readonly requests: number;
  readonly unconnected: number;
  readonly refused: Counts;
  /** What must not be. */
  readonly wrong: Counts;
  readonly longestMs: number;
}

/** No answer takes longer, by the bounds of what the service waits for. */
export const ANSWER_MS_MAX = 10_000;

/** Notes how requests ended. Times are those of `performance.now()`. */
export class Ledger {
  /** When the last request ended that was not answered right. */
  lastFailureAt = 0;
  private stretch = emptyStretch();

  /** From now on they are counted anew; gives the counts so far. */
  turn(): Stretch {
    const { stretch } = this;
    this.stretch = emptyStretch();
    return stretch;
  }

  note(kind: string, startedAt: number, outcome: Outcome): void {
    const { stretch } = this;
    const now = performance.now();
    stretch.requests += 1;
    stretch.longestMs = Math.max(stretch.longestMs, now - startedAt);
    if (outcome === 'right') return;
    this.lastFailureAt = now;
    if (outcome === 'unconnected') stretch.unconnected += 1;
    else if ('refused' in outcome) count(stretch.refused, `${kind}: ${outcome.refused}`);
    else count(stretch.wrong, `${kind}: ${outcome.wrong}`);
  }
}

function emptyStretch() {
  return {
    requests: 0,
    unconnected: 0,
    refused: {} as Record<string, number>,
    wrong: {} as Record<string, number>,
    longestMs: 0,
  };
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

/** The sum of all. */
export function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0);
}
