import { LATE, within } from '../../concurrency/within.js';
import type { Culprit } from './condition-table.js';

const LOOK_MS_MAX = 1_000;

/** Says in one sentence what is wrong with a figure; undefined while it is within its bound. */
export type Look = () => string | undefined | Promise<string | undefined>;

/** Who is to blame while the figure is beyond its bound; undefined for the culprit of the condition. */
export type Blame = () => Culprit | undefined;

/** A figure that is looked at from time to time. */
export class FigureCondition {
  fault: string | undefined;

  constructor(
    private readonly look: Look,
    private readonly onChange: () => void,
    readonly blame: Blame,
  ) {}

  /** A look that fails or is late leaves what was last seen: what it asks has a condition of its own. */
  async update(): Promise<void> {
    const seen = await within(LOOK_MS_MAX, Promise.resolve().then(this.look)).catch(() => LATE);
    if (seen === LATE) return;
    const { fault } = this;
    this.fault = seen as string | undefined;
    if ((fault === undefined) !== (this.fault === undefined)) this.onChange();
  }
}
