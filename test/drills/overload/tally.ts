/** Counts by outcome: a status, or what became of a request that had none. */
export class Tally {
  sent = 0;
  readonly outcomes: Record<string, number> = {};

  count(outcome: string): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }
}

/** The value below which the share of all values lies; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
