import type { MetricData } from '../telemetry/sum-metrics.js';
import type { Question } from './workers.js';

/** Longer than a probe of the health check or a gauge may take. */
const READ_MS = 2_000;

/** The metrics of these names, or all of them. */
export const METRICS: Question<readonly string[] | undefined, readonly MetricData[]> = {
  name: 'metrics',
  timeoutMs: READ_MS,
};

/** Whether the process is there; for less than a probe of the health check may take. */
export const PRESENCE: Question<undefined, true> = { name: 'presence', timeoutMs: 800 };

/** A question about the present state, or for a change that is made at once. */
export function question<Argument, Answer>(name: string, timeoutMs = READ_MS): Question<Argument, Answer> {
  return { name, timeoutMs };
}
