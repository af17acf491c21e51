import { writeFileSync } from 'node:fs';
import { now, type Span, type Verdict } from './model.js';

/** A secret in a file, as an operator rotates it: the newest first, and the one before it. */
export class RotatingSecret {
  private readonly values: string[] = [];
  /** When each value was made. */
  private readonly madeAt: number[] = [];
  /** When each value stopped being accepted. */
  private readonly retiredAt: number[] = [];

  /**
   * @param separator the text between two values
   * @param make a value that is fit for the setting
   */
  constructor(
    readonly file: string,
    private readonly separator: string,
    private readonly make: () => string,
  ) {
    this.rotate(() => undefined);
  }

  /** Number of the newest value. */
  get generation(): number {
    return this.values.length - 1;
  }

  /** Number of the newest value at a time. */
  generationAt(time: number): number {
    return this.madeAt.findLastIndex((madeAt) => madeAt <= time);
  }

  value(generation: number): string {
    return this.values[generation]!;
  }

  /** @param takeUp makes the service read the file; the new value is in force when it returns */
  rotate(takeUp: () => void): void {
    this.values.push(this.make());
    this.madeAt.push(now());
    writeFileSync(this.file, this.values.slice(-2).reverse().join(this.separator), { mode: 0o600 });
    takeUp();
    if (this.values.length > 2) this.retiredAt[this.values.length - 3] = now();
  }

  /** The truth of a value being accepted in a span; it is from the moment it was made. */
  accepts(generation: number, { start, end }: Span): Verdict {
    const retiredAt = this.retiredAt[generation] ?? Infinity;
    if (end < retiredAt) return 'always';
    return start > retiredAt ? 'never' : 'sometimes';
  }
}
