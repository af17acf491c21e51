import type { ConditionView } from '../../telemetry/conditions/conditions.js';
import type { RunningService } from '../store/running-service.js';
import { fail, ok, warn, type Check, type Finding } from './finding.js';

/** What the running service itself says is wrong: a line for each condition that is active. */
export function serviceCheck(service: RunningService): Check {
  return {
    name: 'service',
    todo: 'check OPS_HOST, OPS_PORT and OPS_TOKEN',
    run: async () => {
      if (!(await service.isThere())) return ok('none answers at OPS_HOST and OPS_PORT');
      const answer = await service.ask('GET', '/conditions');
      const { items } = (await answer.json()) as { items: ConditionView[] };
      const active = items.filter((condition) => condition.active);
      return active.length === 0 ? ok('runs, and says that nothing is wrong') : active.map(toFinding);
    },
  };
}

function toFinding({ name, severity, summary, since, action }: ConditionView): Finding {
  const judge = severity === 'page' ? fail : warn;
  return { name: `service, ${name}`, ...judge(`${summary} Since ${since}.`, action) };
}
