/**
 * The result of recursive work on a text or value from outside, or that of `tooDeep` where it is nested deeper than the
 * stack goes.
 */
export function unlessTooDeep<T>(work: () => T, tooDeep: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return tooDeep();
    throw error;
  }
}
