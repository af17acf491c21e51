import { addCounts, type DashboardSample } from '../dashboard-sample.js';
import { tallyOf, type Counts, type Tally } from '../outcomes.js';

/** The last minute, added up. */
export interface Minute {
  readonly token: Tally;
  readonly graphql: Tally;
  readonly attachment: Tally;
  readonly outcomes: Counts;
  readonly webhooks: Counts;
  readonly latest: DashboardSample | undefined;
  /** Targets whose calls are held back. */
  readonly circuits: readonly string[];
}

/** Adds up the samples of a minute. */
export function minuteOf(samples: readonly DashboardSample[]): Minute {
  const latest = samples.at(-1);
  const [token, graphql, attachment] = (['token', 'graphql', 'attachment'] as const).map((kind) =>
    addCounts(samples.map(({ requests }) => requests[kind])),
  );
  return {
    token: tallyOf(token!),
    graphql: tallyOf(graphql!),
    attachment: tallyOf(attachment!),
    outcomes: addCounts([token!, graphql!, attachment!]),
    webhooks: addCounts(samples.map(({ webhooks }) => webhooks)),
    latest,
    circuits: latest?.openCircuits ?? [],
  };
}

/** What each kind of request is called. */
export const NAMES = {
  token: 'token requests',
  graphql: 'GraphQL operations',
  attachment: 'downloads',
} as const;

/** What end users notice, as a further sentence; empty when they notice nothing. */
export function impact(minute: Minute): string {
  const kinds = ['token', 'graphql', 'attachment'] as const;
  const failing = kinds.filter((kind) => minute[kind].failed > 0);
  if (failing.length === 0) return '';
  const shares = failing.map((kind) => shareOf(minute[kind].failed, minute[kind].all, NAMES[kind]));
  return ` In the last minute ${shares.join(' and ')} failed.`;
}

/** "40 of 41 GraphQL operations". */
export function shareOf(some: number, all: number, name: string): string {
  return `${number(some)} of ${number(all)} ${name}`;
}

/** "1 event is", "2 events are". */
export function count(times: number, one: string, many: string): string {
  return `${number(times)} ${times === 1 ? one : many}`;
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** A time in its largest unit. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} seconds`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3_600)} hours`;
}
