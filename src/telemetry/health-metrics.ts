import type { Health } from './health.js';
import type { Metrics } from './metrics.js';

const STATES = ['up', 'degraded', 'down'] as const;

/** Reports in the metrics what `/readyz` answers. */
export function reportHealth(health: Health, metrics: Metrics): void {
  metrics.gauge(
    'bff_dependency_state',
    'State of each dependency as /readyz has it: 1 for the state it is in, 0 for the others.',
    ['dependency', 'state'],
    async (gauge) => {
      const { checks } = await health.readiness();
      for (const [dependency, check] of Object.entries(checks)) {
        for (const state of STATES) gauge.set({ dependency, state }, check.state === state ? 1 : 0);
      }
    },
  );
}
