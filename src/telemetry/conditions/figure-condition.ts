import { LATE, within } from '../../concurrency/within.js';

const LOOK_MS_MAX = 1_000;

/** Says in one sentence what is wrong with a figure; undefined while it is within its bound. */
export type Look = () => string | undefined | Promise<string | undefined>;

/** A figure that is looked at from time to time. */
export class FigureCondition {
  fault: string | undefined;

  constructor(
    private readonly look: Look,
    private readonly onChange: () => void,
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
