import { renameSync, writeFileSync } from 'node:fs';
import { now, untilSome, type Span, type Verdict } from './model.js';

/** A secret in a file, as an operator rotates it where there are several replicas: the new one first as the second. */
export class RotatingSecret {
  private readonly values: string[];
  /** When each value became the first, and when every replica knew it for that. */
  private readonly first: { readonly from: number; by: number }[];
  /** When each value left the file, and when no replica accepted it any more. */
  private readonly retired = new Map<number, { readonly start: number; end: number }>();
  private isRotating = false;

  /**
   * @param separator the text between two values
   * @param make a value that is fit for the setting
   */
  constructor(
    readonly file: string,
    private readonly separator: string,
    private readonly make: () => string,
  ) {
    this.values = [make()];
    this.first = [{ from: now(), by: now() }];
    this.write(this.values);
  }

  /** Number of the newest value that every replica accepts. */
  get generation(): number {
    return this.values.length - 1;
  }

  /** Number of the newest value that every replica had for the first at a time. */
  generationAt(time: number): number {
    return this.first.findLastIndex(({ by }) => by <= time);
  }

  value(generation: number): string {
    return this.values[generation]!;
  }

  /**
   * Makes a new value the first, unless a rotation is under way.
   * @param takeUp has every replica read the file
   */
  async rotate(takeUp: () => Promise<void>): Promise<void> {
    if (this.isRotating) return;
    this.isRotating = true;
    const [current, next] = [this.values.at(-1)!, this.make()];
    const leaving = { start: now(), end: Infinity };
    this.retired.set(this.generation - 1, leaving);
    await this.take([current, next], takeUp);
    leaving.end = now();
    this.values.push(next);
    const beginning = { from: now(), by: Infinity };
    this.first.push(beginning);
    await this.take([next, current], takeUp);
    beginning.by = now();
    this.isRotating = false;
  }

  /** The truth of a value being accepted in a span; it is from the moment it was made. */
  accepts(generation: number, span: Span): Verdict {
    const { start, end } = this.retired.get(generation) ?? { start: Infinity, end: Infinity };
    return untilSome(start, end, span);
  }

  private async take(values: readonly string[], takeUp: () => Promise<void>): Promise<void> {
    this.write(values);
    await takeUp();
  }

  /** At once, since replicas read the file at any time. */
  private write(values: readonly string[]): void {
    writeFileSync(`${this.file}.new`, values.join(this.separator), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }
}
