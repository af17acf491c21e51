import { LatestNotes } from '../concurrency/latest-notes.js';

const OWNERS_MAX = 10_000;

/** One time that tokens were dropped. */
export interface TokenDrop {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Unique and rising; it tells one time from another of the same millisecond. */
  readonly number: number;
}

/**
 * When the tokens of each hirer or user were last dropped: what was requested before that is not kept. No hirer's
 * identifier is a user's pseudonym.
 */
export class TokenDrops {
  private count = 0;
  private latestAt = -Infinity;
  private readonly drops = new LatestNotes<TokenDrop>(OWNERS_MAX);

  /** An `at` earlier than that of another note counts as that: of two owners of a token, the later time must win. */
  note(owner: string, at: number): void {
    this.latestAt = Math.max(this.latestAt, at);
    this.drops.note(owner, { at: this.latestAt, number: (this.count += 1) });
  }

  /** The last time for any of these, or a later one that stands for it; undefined when none was dropped. */
  last(...owners: readonly string[]): TokenDrop | undefined {
    let last: TokenDrop | undefined;
    for (const owner of owners) {
      const drop = this.drops.last(owner);
      if (drop && drop.number > (last?.number ?? 0)) last = drop;
    }
    return last;
  }
}
