import type { Attention } from './attention.js';
import type { Checks } from './failing-dependencies.js';
import { count, duration, type Minute } from './minute.js';

const LATE_SECONDS = 600;
const MANY_DEAD = 50;

/** Until the database has answered once, for instance in the first seconds after a start. */
const NOT_COUNTED: Attention = {
  severity: 'unknown',
  what: 'Undelivered events have not been counted yet.',
  fault: 'A recent start, or a slow database',
  action: 'Wait a few seconds. If this line stays, check the database.',
  runbook: 'BffNotReady',
};

/** Events that do not reach the sink. The last figures of the database are not shown while it is down. */
export function undeliveredEvents(checks: Checks, { latest }: Minute): Attention[] {
  const found: Attention[] = [];
  if (checks['database']?.state === 'down') return found;
  if (!latest || Object.keys(latest.backlog).length === 0) return [...found, NOT_COUNTED];
  const { pending = 0, failed = 0, dead = 0 } = latest.backlog;
  const { oldestPendingSeconds: oldest, backlogEndSeconds: end } = latest;
  if (dead > 0) {
    found.push({
      severity: 'bad',
      what: `${count(dead, 'event is', 'events are')} dead: the sink will never get ${dead === 1 ? 'it' : 'them'} unless someone redelivers ${dead === 1 ? 'it' : 'them'}.`,
      fault: 'Your event sink',
      action: 'See why in “Last failure” of the events, fix the sink, then use “Redeliver all matching”.',
      runbook: dead < MANY_DEAD ? 'BffEventsDead' : 'BffManyEventsDead',
      list: { name: 'events', filter: { state: 'dead' } },
    });
  }
  const sink = checks['event-sink'];
  const isSinkFailing = sink !== undefined && sink.state !== 'up';
  if (isSinkFailing || failed > 0 || (pending > 0 && oldest > LATE_SECONDS)) {
    const why = isSinkFailing ? `The event sink does not accept events: ${sink.reason}. ` : '';
    found.push({
      severity: isSinkFailing || oldest > LATE_SECONDS ? 'bad' : 'warn',
      what: `${why}${count(pending + failed, 'event waits', 'events wait')} for delivery, the oldest for ${duration(oldest)}.${endOf(end)}`,
      fault: 'Your event sink',
      action:
        'Nothing is lost. Fix the sink, then redeliver one event in state failed: once the sink accepts it, the others follow. Left alone, each is retried as EVENT_SINK_RETRY_SECONDS says, and is dead after the last retry.',
      runbook: oldest > LATE_SECONDS ? 'BffEventsLate' : 'BffDeliveriesFailing',
      list: { name: 'events', filter: { state: failed > 0 ? 'failed' : 'pending' } },
    });
  }
  return found;
}

function endOf(seconds: number | null): string {
  if (seconds === null) return ' The backlog does not shrink.';
  return ` As fast as it shrinks now, it ends in ${count(Math.max(1, Math.round(seconds / 60)), 'minute', 'minutes')}.`;
}
