import type { Condition, Readiness } from '../../../telemetry/health.js';
import type { DashboardSample } from '../dashboard-sample.js';
import { OVERALL_STATES, type OverallState } from '../overall-state.js';
import { sumHalfHours, type HalfHour } from './figures.js';

/** Until then every replica has written its part of a slot, and it has been read. */
const EXCHANGED_MS = 12_000;
const CONDITIONS = ['up', 'degraded', 'down'] as const;
const STATUSES = ['ready', 'degraded', 'not ready', 'draining'] as const;
const NOTHING_KNOWN: Readiness = { status: 'not ready', ready: false, checks: {} };

/** A replica, as the dashboard lists it. Times are epoch milliseconds. */
export interface Replica {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
  readonly state: OverallState | 'gone';
  /** True for the one that says so. */
  readonly isSelf: boolean;
}

/** A replica, and what is known of it. */
export interface Member {
  replica: Replica;
  readiness: Readiness | undefined;
  readonly halfHour: HalfHour;
  /** False once its row was removed; its figures stay part of those of all. */
  isListed: boolean;
}

/** One replica, or all as one: figures are added up, and the worst state stands. */
export interface FleetView {
  readonly name: string;
  readonly version: string;
  /** Undefined where there are several. */
  readonly startedAt: number | undefined;
  readonly state: OverallState | 'gone';
  readonly readiness: Readiness;
  readonly samples: readonly DashboardSample[];
}

/** One that is gone or draining serves no one, and does not count for the state of those that serve. */
export function viewOf(members: readonly Member[], now: number): FleetView {
  const listed = members.filter(({ isListed }) => isListed);
  const serving = listed.filter(({ replica }) => !['gone', 'draining'].includes(replica.state));
  const counted = serving.length > 0 ? serving : listed;
  const replicas = counted.map(({ replica }) => replica);
  const known = counted.flatMap(({ readiness }) => readiness ?? []);
  return {
    name: replicas.map(({ name }) => name).join(', '),
    version: [...new Set(replicas.map(({ version }) => version))].sort().join(', '),
    startedAt: replicas.length === 1 ? replicas[0]?.startedAt : undefined,
    state: worstState(replicas),
    readiness: known.length > 0 ? worstOf(known) : NOTHING_KNOWN,
    samples: sumHalfHours(
      members.map(({ halfHour }) => halfHour),
      now - EXCHANGED_MS,
    ),
  };
}

function worstState(replicas: readonly Replica[]): OverallState | 'gone' {
  const order: readonly Replica['state'][] = [...OVERALL_STATES, 'gone'];
  return order[Math.max(...replicas.map(({ state }) => order.indexOf(state)))]!;
}

/** The readiness of several replicas as one. */
function worstOf(all: readonly Readiness[]): Readiness {
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
