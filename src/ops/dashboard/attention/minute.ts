import { addCounts, type DashboardSample, type Histogram, type RequestKind } from '../dashboard-sample.js';
import { isFailure, meaningOf, tallyOf, type Counts, type Fault, type Tally } from '../outcomes.js';

/** The last minute, added up. */
export interface Minute extends Readonly<Record<RequestKind, Tally>> {
  readonly outcomes: Counts;
  /** Failures that no dependency accounts for, by outcome: the one to blame was up when they happened. */
  readonly unexplained: Readonly<Record<RequestKind, Counts>>;
  readonly latency: DashboardSample['latency'];
  readonly ownTime: Histogram;
  readonly webhooks: Counts;
  readonly latest: DashboardSample | undefined;
  /** Targets whose calls are held back. */
  readonly circuits: readonly string[];
}

/**
 * Adds up the samples of a minute.
 * @param failing dependencies that are not up now
 */
export function minuteOf(samples: readonly DashboardSample[], failing: readonly string[]): Minute {
  const latest = samples.at(-1);
  const explained = samples.map((sample, index) =>
    faultsOf([...failing, ...sample.failing, ...(samples[index - 1]?.failing ?? [])], sample.openCircuits),
  );
  const ofKind = (kind: RequestKind): Counts => addCounts(samples.map(({ requests }) => requests[kind]));
  const unexplained = (kind: RequestKind): Counts =>
    addCounts(samples.map(({ requests }, index) => without(explained[index]!, requests[kind])));
  const latency = (of: keyof DashboardSample['latency']): Histogram =>
    addCounts(samples.map((sample) => sample.latency[of]));
  return {
    token: tallyOf(ofKind('token')),
    graphql: tallyOf(ofKind('graphql')),
    attachment: tallyOf(ofKind('attachment')),
    outcomes: addCounts([ofKind('token'), ofKind('graphql'), ofKind('attachment')]),
    unexplained: {
      token: unexplained('token'),
      graphql: unexplained('graphql'),
      attachment: unexplained('attachment'),
    },
    latency: { token: latency('token'), graphql: latency('graphql'), upstream: latency('upstream') },
    ownTime: addCounts(samples.map(({ ownTime }) => ownTime)),
    webhooks: addCounts(samples.map(({ webhooks }) => webhooks)),
    latest,
    circuits: latest?.openCircuits ?? [],
  };
}

/** The faults that dependencies account for which are not up; any of them accounts for one whose culprit is unknown. */
function faultsOf(failing: readonly string[], circuits: readonly string[]): ReadonlySet<Fault> {
  const culprits = failing.map((name) => (name === 'partner-token' ? 'issuer' : name)) as Fault[];
  if (circuits.includes('graphql')) culprits.push('upstream');
  return new Set(culprits.length > 0 ? [...culprits, 'unclear'] : []);
}

function without(explained: ReadonlySet<Fault>, counts: Counts): Counts {
  const left = Object.entries(counts).filter(
    ([outcome]) => isFailure(outcome) && !explained.has(meaningOf(outcome).fault),
  );
  return Object.fromEntries(left);
}

/** The name of each kind of request. */
export const NAMES = {
  token: 'token requests',
  graphql: 'GraphQL operations',
  attachment: 'downloads',
} as const;

/** A further sentence on what end users notice of a culprit; empty when they notice nothing. */
export function impact(minute: Minute, culprit: Fault): string {
  const kinds = ['token', 'graphql', 'attachment'] as const;
  const shares = kinds.flatMap((kind) => {
    const { all, failedBy } = minute[kind];
    const failed = failedBy[culprit] ?? 0;
    return failed > 0 ? [shareOf(failed, all, NAMES[kind])] : [];
  });
  return shares.length === 0 ? '' : ` In the last minute ${shares.join(' and ')} failed.`;
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
  if (seconds < 90) return count(Math.round(seconds), 'second', 'seconds');
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3_600)} hours`;
}
