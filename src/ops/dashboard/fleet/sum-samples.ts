import { addCounts, type DashboardSample } from '../dashboard-sample.js';
import type { Counts } from '../outcomes.js';

/** How much time a sample of several stands for: that of a point in the charts. */
export const SLOT_MS = 10_000;

/** The end of the slot that a time is in, epoch milliseconds; the same on every replica. */
export function slotOf(time: number): number {
  return Math.ceil(time / SLOT_MS) * SLOT_MS;
}

/**
 * The samples of one slot, of one replica or several, as one. What was counted is added up; of levels, which replicas
 * read from the same database or each keep for themselves, the worst stands.
 * @throws when a sample has not the shape that this version gives it
 */
export function sumSamples(samples: readonly DashboardSample[], time: number): DashboardSample {
  const sum = (read: (sample: DashboardSample) => Counts): Counts => addCounts(samples.map(read));
  const highest = (read: (sample: DashboardSample) => number): number => Math.max(...samples.map(read));
  const union = (read: (sample: DashboardSample) => readonly string[]): string[] => [
    ...new Set(samples.flatMap(read)),
  ];
  const ends = samples.flatMap(({ backlogEndSeconds }) => backlogEndSeconds ?? []);
  return {
    time,
    seconds: SLOT_MS / 1_000,
    requests: {
      token: sum(({ requests }) => requests.token),
      graphql: sum(({ requests }) => requests.graphql),
      attachment: sum(({ requests }) => requests.attachment),
    },
    sources: sum(({ sources }) => sources),
    latency: {
      token: sum(({ latency }) => latency.token),
      graphql: sum(({ latency }) => latency.graphql),
      upstream: sum(({ latency }) => latency.upstream),
    },
    ownTime: sum(({ ownTime }) => ownTime),
    calls: Object.fromEntries(
      union(({ calls }) => Object.keys(calls)).map((name) => [name, sum(({ calls }) => calls[name] ?? {})]),
    ),
    webhooks: sum(({ webhooks }) => webhooks),
    events: sum(({ events }) => events),
    deliveries: sum(({ deliveries }) => deliveries),
    auditDropped: samples.reduce((all, { auditDropped }) => all + auditDropped, 0),
    backlog: Object.fromEntries(
      union(({ backlog }) => Object.keys(backlog)).map((state) => [
        state,
        highest(({ backlog }) => backlog[state] ?? 0),
      ]),
    ),
    oldestPendingSeconds: highest(({ oldestPendingSeconds }) => oldestPendingSeconds),
    backlogEndSeconds: ends.length > 0 ? Math.max(...ends) : null,
    partnerTokenSeconds: Math.min(...samples.map(({ partnerTokenSeconds }) => partnerTokenSeconds)),
    partnerTokenLifeSeconds: highest(({ partnerTokenLifeSeconds }) => partnerTokenLifeSeconds),
    openCircuits: union(({ openCircuits }) => openCircuits),
    failing: union(({ failing }) => failing),
  };
}
