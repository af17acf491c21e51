import type { Readiness } from '../../../telemetry/health.js';
import type { DashboardSample } from '../dashboard-sample.js';
import type { Attention } from './attention.js';
import { failingDependencies, isDegraded } from './failing-dependencies.js';
import { callersFaults, ownFaults, unexplainedFailures, upstreamRefusals } from './failing-requests.js';
import { duration, minuteOf } from './minute.js';
import { refusedWebhooks } from './refused-webhooks.js';
import { slowness } from './slowness.js';
import { undeliveredEvents } from './undelivered-events.js';

const MINUTE_SAMPLES = 30;
const STARTED_SECONDS = 300;

/** The facts to judge by. */
export interface Facts {
  readonly readiness: Readiness;
  /** Of the last half hour, the latest last. */
  readonly samples: readonly DashboardSample[];
  readonly startedAt: number;
  readonly now: number;
}

/**
 * Finds what needs attention, the worst first; empty when nothing does. A dependency that fails stands for the requests
 * that fail because of it: they are named with it, and only what no dependency explains has a line of its own.
 */
export function findAttention({ readiness, samples, startedAt, now }: Facts): Attention[] {
  const { checks } = readiness;
  const failing = Object.keys(checks).filter((name) => isDegraded(checks, name));
  const minute = minuteOf(samples.slice(-MINUTE_SAMPLES), failing);
  const found = [
    ...failingDependencies(checks, minute),
    ...refusedWebhooks(checks, minute),
    ...undeliveredEvents(checks, minute),
    ...ownFaults(samples),
    ...unexplainedFailures(minute),
    ...upstreamRefusals(minute),
    ...slowness(checks, minute),
    ...callersFaults(minute),
    ...lifecycle(readiness, (now - startedAt) / 1000),
  ];
  const order = ['bad', 'warn', 'unknown', 'info'];
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

function lifecycle({ status }: Readiness, upSeconds: number): Attention[] {
  if (status === 'draining') {
    return [
      {
        severity: 'info',
        what: 'This replica is stopping: it takes no new requests and finishes those under way.',
        fault: 'A deployment, or an operator',
        action: 'Nothing. The other replicas serve.',
        runbook: 'Stop a replica',
      },
    ];
  }
  if (upSeconds >= STARTED_SECONDS) return [];
  return [
    {
      severity: 'info',
      what: `This replica started ${duration(upSeconds)} ago. The figures begin then; events and audit trail are complete.`,
      fault: 'A deployment, an operator, or a crash',
      action: 'If nobody restarted it, read the last lines of the log before the start.',
      runbook: 'BffDown',
    },
  ];
}
