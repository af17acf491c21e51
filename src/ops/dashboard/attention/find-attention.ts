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
  /** How many of them make a minute; 30 unless it is said. */
  readonly perMinute?: number;
  /** Undefined where they are of several replicas. */
  readonly startedAt: number | undefined;
  readonly now: number;
  /** Names of replicas that are not seen any more. */
  readonly gone?: readonly string[];
  /** The replica or replicas that the facts are of, as a sentence names them; `this replica` unless it is said. */
  readonly subject?: string | undefined;
}

/**
 * Finds what needs attention, the worst first; empty when nothing does. A dependency that fails stands for the requests
 * that fail because of it: they are named with it, and only what no dependency explains has a line of its own.
 */
export function findAttention(facts: Facts): Attention[] {
  const { readiness, samples, perMinute = MINUTE_SAMPLES, startedAt, now } = facts;
  const { checks } = readiness;
  const failing = Object.keys(checks).filter((name) => isDegraded(checks, name));
  const minute = minuteOf(samples.slice(-perMinute), failing);
  const found = [
    ...failingDependencies(checks, minute),
    ...refusedWebhooks(checks, minute),
    ...undeliveredEvents(checks, minute),
    ...ownFaults(samples),
    ...unexplainedFailures(minute),
    ...upstreamRefusals(minute),
    ...slowness(checks, minute),
    ...callersFaults(minute),
    ...lifecycle(readiness, (now - (startedAt ?? -Infinity)) / 1000),
  ].map((item) => speakOf(facts.subject, item));
  found.push(...goneReplicas(facts.gone ?? []));
  const order = ['bad', 'warn', 'unknown', 'info'];
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** The texts speak of this replica; of another, or of several, they name it. */
function speakOf(subject: string | undefined, item: Attention): Attention {
  if (subject === undefined) return item;
  const name = (text: string): string =>
    text
      .replaceAll('This replica', () => subject.replace(/^./, (first) => first.toUpperCase()))
      .replaceAll('this replica', () => subject);
  return { ...item, what: name(item.what), fault: name(item.fault), action: name(item.action) };
}

function goneReplicas(names: readonly string[]): Attention[] {
  return names.map((name) => ({
    severity: 'warn',
    what: `Replica ${name} is gone: it was not seen for a minute, and did not say that it stops.`,
    fault: 'A crash, its machine, or its way to the database',
    action: 'If nothing has replaced it, start it again. Read the last lines of its log.',
    runbook: 'BffDown',
  }));
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
