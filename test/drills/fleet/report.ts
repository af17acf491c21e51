import type { DrillReport } from './drill.js';

const RECOVERY_SECONDS_MAX = 5;
const MEGABYTES_MAX = 400;
const MORE_DESCRIPTORS_MAX = 40;

/** What must not be on any machine, however busy. */
export function lastingFaultsOf({ faults, acknowledged, undelivered, holdings }: DrillReport): string[] {
  return [
    ...faults.flatMap(({ name, wrong }) =>
      Object.entries(wrong).map(([what, times]) => `${name}: ${what} (${times})`),
    ),
    ...(acknowledged === 0 ? ['no webhook was acknowledged'] : []),
    ...(undelivered > 0 ? [`${undelivered} acknowledged events were not delivered`] : []),
    ...holdings.flatMap(({ before, after }, index) => [
      ...(after.megabytes > MEGABYTES_MAX ? [`replica ${index + 1} holds ${mb(after.megabytes)}`] : []),
      ...(after.descriptors > before.descriptors + MORE_DESCRIPTORS_MAX
        ? [`replica ${index + 1} has ${after.descriptors} descriptors, and had ${before.descriptors}`]
        : []),
    ]),
  ];
}

/** The same and the bounds of time: for a machine that does little else. */
export function faultsOf(report: DrillReport): string[] {
  const late = report.faults.flatMap(({ name, mayRefuse, refused, longestMs, recoverySeconds }) => [
    ...(!mayRefuse && sumOf(refused) > 0 ? [`${name}: refused without need: ${listOf(refused)}`] : []),
    ...(longestMs > ANSWER_MS_MAX ? [`${name}: an answer took ${seconds(longestMs / 1000)}`] : []),
    ...(recoverySeconds > RECOVERY_SECONDS_MAX ? [`${name}: well after ${seconds(recoverySeconds)}`] : []),
  ]);
  return [...lastingFaultsOf(report), ...late];
}

function listOf(counts: Counts): string {
  return (
    Object.entries(counts)
      .map(([what, times]) => `${what} (${times})`)
      .join(', ') || 'nothing'
  );
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

function mb(value: number): string {
  return `${value.toFixed(0)} MB`;
}

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
const ANSWER_MS_MAX = 10_000;

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
function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0);
}
