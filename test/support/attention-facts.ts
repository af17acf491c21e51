import { findAttention } from '../../src/ops/dashboard/attention/find-attention.js';
import type { Attention } from '../../src/ops/dashboard/attention/attention.js';
import type { DashboardSample } from '../../src/ops/dashboard/dashboard-sample.js';
import type { Condition } from '../../src/telemetry/health.js';

/** The moment, epoch milliseconds. */
export const NOW = 1_800_000_000_000;
/** A day. */
export const DAY_MS = 86_400_000;
/** A dependency that is down. */
export const DOWN: Condition = { state: 'down', reason: 'cannot be reached' };
/** Nothing happens. */
export const QUIET: DashboardSample = {
  time: NOW,
  seconds: 2,
  requests: { token: {}, graphql: {}, attachment: {} },
  sources: {},
  latency: { token: {}, graphql: {}, upstream: {} },
  ownTime: {},
  calls: {},
  webhooks: {},
  events: {},
  deliveries: {},
  auditDropped: 0,
  backlog: { pending: 0, failed: 0, dead: 0 },
  oldestPendingSeconds: 0,
  backlogEndSeconds: 0,
  partnerTokenSeconds: 1_200,
  partnerTokenLifeSeconds: 1_800,
  openCircuits: [],
  failing: [],
};
/** A dependency that fails at times. */
export const degraded = (reason: string): Condition => ({ state: 'degraded', reason });

/** What needs attention at one moment, with one sample. */
export function find(
  checks: Record<string, Condition>,
  sample: Partial<DashboardSample> = {},
  startedAt = NOW - DAY_MS,
): Attention[] {
  const readiness = { status: 'ready', ready: true, checks } as const;
  return findAttention({ readiness, samples: [{ ...QUIET, ...sample }], startedAt, now: NOW });
}

/** The members of a sample that count requests. */
export const requests = (some: Partial<DashboardSample['requests']>) => ({
  requests: { ...QUIET.requests, ...some },
});
