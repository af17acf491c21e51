import { Injectable } from '@nestjs/common';
import { Health, type Condition, type Readiness } from '../../telemetry/health.js';
import { PRESENCE, question } from '../../workers/questions.js';
import { Workers, type Answers } from '../../workers/workers.js';

const READINESS = question<undefined, Readiness>('readiness');
const CONDITIONS = ['up', 'degraded', 'down'] as const;
const STATUSES = ['ready', 'degraded', 'not ready', 'draining'] as const;

/**
 * The health of the service: of all its workers, which are a dependency of their own. A worker that ended gets no
 * connection, so that the others answer every request; one that is silent may get one.
 */
@Injectable()
export class ServiceHealth {
  constructor(
    private readonly health: Health,
    private readonly workers: Workers,
  ) {
    workers.answer(READINESS, () => health.readiness());
    workers.answer(PRESENCE, () => true);
    if (workers.count === 1 || !workers.hasOps) return;
    health.register('workers', async () =>
      conditionOf(await workers.ask(PRESENCE, undefined), workers.count),
    );
  }

  /** Each dependency in the worst state that a worker sees it in. */
  async readiness(): Promise<Readiness> {
    if (this.workers.count === 1 || this.health.isDraining) return this.health.readiness();
    return worstOf((await this.workers.ask(READINESS, undefined)).answers);
  }
}

/** The state of the workers themselves. */
export function conditionOf({ silent, absent }: Omit<Answers<true>, 'answers'>, count: number): Condition {
  const listed = (numbers: readonly number[]): string => `worker ${numbers.join(', ')} of ${count}`;
  if (silent.length > 0) return { state: 'down', reason: `${listed(silent)} does not answer` };
  if (absent.length > 0) return { state: 'degraded', reason: `${listed(absent)} ended and is started again` };
  return { state: 'up' };
}

/** The readiness of several workers as one. */
export function worstOf(all: readonly Readiness[]): Readiness {
  const checks: Record<string, Condition> = {};
  for (const [name, condition] of all.flatMap((one) => Object.entries(one.checks))) {
    const known = checks[name];
    if (known === undefined || rankOf(condition) > rankOf(known)) checks[name] = condition;
  }
  const status = STATUSES[Math.max(...all.map((one) => STATUSES.indexOf(one.status)))]!;
  return { status, ready: status === 'ready' || status === 'degraded', checks };
}

function rankOf({ state }: Condition): number {
  return CONDITIONS.indexOf(state);
}
