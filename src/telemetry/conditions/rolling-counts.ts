/** Milliseconds of a clock that is never set. */
export const steadyNow = (): number => performance.now();

const SLOTS = 12;

interface Slot {
  /** Counted from the start of the clock. */
  number: number;
  all: number;
  bad: number;
}

/** How much of what happened lately was bad: two numbers for each twelfth of the span, whatever the traffic. */
export class RollingCounts {
  private readonly slots: Slot[] = Array.from({ length: SLOTS }, () => ({ number: -1, all: 0, bad: 0 }));
  private readonly slotMs: number;

  constructor(
    spanMs: number,
    private readonly now = steadyNow,
  ) {
    this.slotMs = spanMs / SLOTS;
  }

  add(isBad: boolean): void {
    const number = Math.floor(this.now() / this.slotMs);
    const slot = this.slots[number % SLOTS]!;
    if (slot.number !== number) Object.assign(slot, { number, all: 0, bad: 0 });
    slot.all += 1;
    if (isBad) slot.bad += 1;
  }

  /** Of the span that ends now. */
  read(): { all: number; bad: number } {
    const first = Math.floor(this.now() / this.slotMs) - SLOTS + 1;
    const sum = { all: 0, bad: 0 };
    for (const { number, all, bad } of this.slots) {
      if (number < first) continue;
      sum.all += all;
      sum.bad += bad;
    }
    return sum;
  }
}
