const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Pseudo-random values that are the same for the same seed on every machine. Not for secrets. */
export class SeededRandom {
  private state: number;

  constructor(seed: string) {
    this.state = 2_166_136_261;
    for (let i = 0; i < seed.length; i++) {
      this.state = Math.imul(this.state ^ seed.charCodeAt(i), 16_777_619);
    }
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from min to max, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from');
    return item;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** The last part of an object identifier. Each number yields five characters, because there are many identifiers. */
  suffix(length = 22): string {
    let text = '';
    let bits = 0;
    for (let i = 0; i < length; i++) {
      if (i % 5 === 0) bits = Math.floor(this.next() * 656_356_768);
      text += BASE58.charAt(bits % 58);
      bits = Math.floor(bits / 58);
    }
    return text;
  }
}
