import { every, type Loop } from '../../concurrency/every.js';
import { LATE, within } from '../../concurrency/within.js';
import { CallCondition, type CallReports } from './call-condition.js';
import type { Check } from '../health.js';
import type { Log } from '../log.js';
import { steadyNow } from './rolling-counts.js';
import { CONDITIONS, type Condition, type ConditionName, type Culprit } from './condition-table.js';

const LOOK_INTERVAL_MS = 10_000;
const LOOK_MS_MAX = 1_000;
const ENDED_MS = 3_600_000;
const NAMES = Object.keys(CONDITIONS) as ConditionName[];

/** Says in one sentence what is wrong with a figure; undefined while it is within its bound. */
type Look = () => string | undefined | Promise<string | undefined>;

/** Who is to blame while the figure is beyond its bound; undefined for the culprit of the condition. */
type Blame = () => Culprit | undefined;

/** A condition as it stands. */
export interface ConditionView extends Condition {
  readonly name: ConditionName;
  readonly active: boolean;
  /** When it began, as ISO 8601; null while it is not active. */
  readonly since: string | null;
  /** When it last ended, for an hour. */
  readonly endedAt: string | null;
  /** A heading of docs/runbook.md. */
  readonly runbook: string;
}

interface Figure {
  readonly look: Look;
  readonly blame: Blame;
  fault: string | undefined;
}

interface Course {
  /** By target. */
  readonly calls: Map<string, CallCondition>;
  readonly figures: Figure[];
  since: string | null;
  ended: { readonly at: string; readonly ms: number } | undefined;
}

/**
 * What is wrong, by the rows of {@link CONDITIONS}, which the code that sees a failure reports. The log has a line when one
 * begins, and when it ends. Ages follow a clock that is never set, times the wall clock. Nest starts and stops the looks at
 * figures.
 */
export class Conditions {
  private readonly courses = new Map<ConditionName, Course>(
    NAMES.map((name) => [name, { calls: new Map(), figures: [], since: null, ended: undefined }]),
  );
  private loop: Loop | undefined;

  constructor(
    private readonly now = steadyNow,
    private readonly wallClock: () => number = Date.now,
    private readonly log?: Pick<Log, 'error' | 'info' | 'warn'>,
  ) {}

  /** Judges the calls to one target; the same for each who asks for that target. */
  calls(name: ConditionName, target: string): CallReports {
    const { calls } = this.courses.get(name)!;
    const judged = calls.get(target) ?? new CallCondition(target, () => this.note(name), this.now);
    calls.set(target, judged);
    return judged;
  }

  /** Looks at a figure with each {@link look}. */
  figure(name: ConditionName, look: Look, blame: Blame = () => undefined): void {
    this.courses.get(name)!.figures.push({ look, blame, fault: undefined });
  }

  onApplicationBootstrap(): void {
    const fail = (error: unknown): void =>
      this.log?.error({ err: error }, 'the figures of conditions cannot be read');
    this.loop = every(LOOK_INTERVAL_MS, () => this.look(), fail);
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }

  /** Looks at every figure, and at calls of which nobody has heard; the service does so every ten seconds. */
  async look(): Promise<void> {
    const courses = [...this.courses];
    await Promise.all(
      courses.flatMap(([name, { figures }]) => figures.map((figure) => this.update(name, figure))),
    );
    this.list();
  }

  /** A look that fails or is late leaves what was last seen: what it asks has a condition of its own. */
  private async update(name: ConditionName, figure: Figure): Promise<void> {
    const seen = await within(LOOK_MS_MAX, Promise.resolve().then(figure.look)).catch(() => LATE);
    if (seen === LATE) return;
    figure.fault = seen as string | undefined;
    this.note(name);
  }

  /** Every condition, the active ones first, the worst on top. */
  list(): readonly ConditionView[] {
    const views = NAMES.map((name) => this.view(name));
    return [...views.filter(({ active }) => active), ...views.filter(({ active }) => !active)];
  }

  /** The active ones, the worst first. */
  active(): readonly ConditionView[] {
    return this.list().filter(({ active }) => active);
  }

  /** Who can end a condition; undefined while it is not active. */
  culpritOf(name: ConditionName): Culprit | undefined {
    if (this.faultsOf(name).length === 0) return undefined;
    const figure = this.courses.get(name)!.figures.find(({ fault }) => fault !== undefined);
    return figure?.blame() ?? CONDITIONS[name].culprit;
  }

  /** The state of a dependency that this replica can work without. */
  checkOf(...names: readonly ConditionName[]): Check {
    const faults = names.flatMap((name) => this.faultsOf(name));
    return faults.length === 0 ? { state: 'up' } : { state: 'degraded', reason: faults.join('; ') };
  }

  private view(name: ConditionName): ConditionView {
    const row = CONDITIONS[name];
    const faults = this.faultsOf(name);
    const { since, ended } = this.courses.get(name)!;
    const isLately = ended !== undefined && this.now() - ended.ms < ENDED_MS;
    return {
      name,
      ...row,
      active: faults.length > 0,
      since,
      endedAt: isLately ? ended.at : null,
      culprit: this.culpritOf(name) ?? row.culprit,
      summary: sentenceOf(row.summary, faults, isLately),
      runbook: name,
    };
  }

  private faultsOf(name: ConditionName): string[] {
    const { calls, figures } = this.courses.get(name)!;
    return [...calls.values(), ...figures].flatMap(({ fault }) => fault ?? []);
  }

  private note(name: ConditionName): void {
    const course = this.courses.get(name)!;
    const isActive = this.faultsOf(name).length > 0;
    if (isActive === (course.since !== null)) return;
    const at = new Date(this.wallClock()).toISOString();
    if (!isActive) course.ended = { at, ms: this.now() };
    course.since = isActive ? at : null;
    const { severity, culprit, summary } = this.view(name);
    const level = !isActive ? 'info' : severity === 'page' ? 'error' : 'warn';
    this.log?.[level]({ condition: name, culprit }, summary);
  }
}

/** With why, while it is so; as past, once it is over. */
function sentenceOf(summary: string, faults: readonly string[], isLately: boolean): string {
  if (faults.length > 0) return summary.replace(/\.$/, ` (${faults.join('; ')}).`);
  return isLately ? `Over: ${summary[0]!.toLowerCase()}${summary.slice(1)}` : summary;
}
