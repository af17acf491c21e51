import type { AttackReport } from './attackers-main.js';
import type { DrillReport } from './drill.js';
import type { UsersReport } from './users.js';

const MEGABYTE = 1_048_576;

/** A drill as a table for a reader. */
export function describeDrill(report: DrillReport): string {
  const { attacks, quiet, attacked, watch } = report;
  return [
    table(['attack', 'a second', 'sent', 'under way', 'came to'], attacks.map(describeAttack)),
    table(
      ['20 users', 'requests', 'success', 'p50', 'p99'],
      [describeUsers('quiet', quiet), describeUsers('under attack', attacked)],
    ),
    ...Object.entries(attacked.failures).map(([failure, count]) => `  failed ${count}: ${failure}`),
    `/livez: asked ${watch.asked} times, failed ${watch.failed}, longest answer ${ms(watch.longestMs)}`,
    `memory: ${Math.round(watch.memoryPeakBytes / MEGABYTE)} MB at most; log: ${kB(report.logBytes)}; store: ${kB(report.storeBytes)}`,
    `process: ${report.survived ? 'alive' : 'dead'} at the end; exit ${report.exitCode}, ${ms(report.exitMs)} after SIGTERM`,
    `secrets in the log: ${report.leaked.join(', ') || 'none'}`,
  ].join('\n');
}

/** Share of the requests that succeeded. */
export function successOf({ requests, failed }: UsersReport): number {
  return requests === 0 ? 0 : 1 - failed / requests;
}

function describeAttack({ name, perSecond, sent, outcomes, underWay }: AttackReport): string[] {
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${outcome}: ${count}`);
  return [name, String(perSecond), String(sent), String(underWay), counts.join(', ')];
}

function describeUsers(phase: string, users: UsersReport): string[] {
  const success = `${(successOf(users) * 100).toFixed(2)} %`;
  return [phase, String(users.requests), success, ms(users.p50Ms), ms(users.p99Ms)];
}

function kB(bytes: number): string {
  return `${Math.round(bytes / 1_000)} kB`;
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

/** Columns as wide as their widest text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line), ''].join('\n');
}

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
