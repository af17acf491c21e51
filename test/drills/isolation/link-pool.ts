import type { SeededRandom } from '../../../playground/src/data/random.js';
import type { Span } from './model.js';
import type { DrillObject, Hirer, User } from './world.js';

/** A sealed link that an answer held. */
export interface Link {
  readonly path: string;
  readonly user: User;
  readonly hirer: Hirer;
  readonly object: DrillObject;
  /** When it was made, as near as can be known. */
  readonly made: Span;
  /** Number of the sealing key before and after it was made. */
  readonly generations: readonly [earliest: number, latest: number];
}

const LINKS_MAX = 300;

/** Links that were handed out lately; some are expired, some of users who are no members any more. */
export class LinkPool {
  private readonly links: Link[] = [];

  add(link: Link): void {
    this.links.push(link);
    if (this.links.length > LINKS_MAX) this.links.shift();
  }

  /** Mostly a young one. */
  pick(random: SeededRandom): Link | undefined {
    const { length } = this.links;
    const young = random.chance(0.7) ? Math.max(0, length - 20) : 0;
    return length === 0 ? undefined : this.links[random.int(young, length - 1)];
  }
}
