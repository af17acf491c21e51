import type { SeededRandom } from '../../../playground/src/data/random.js';
import type { Hirer, User } from './world.js';

const PAIRS_MAX = 30;

/** The memberships that were changed last, where mistakes show first, and those that are being changed. */
export class RecentChanges {
  /** Changes of one membership come one after the other. */
  readonly changing = new Set<string>();
  private readonly pairs: { readonly user: User; readonly hirer: Hirer }[] = [];

  add(user: User, hirer: Hirer): void {
    this.pairs.push({ user, hirer });
    if (this.pairs.length > PAIRS_MAX) this.pairs.shift();
  }

  pick(random: SeededRandom): { readonly user: User; readonly hirer: Hirer } | undefined {
    return this.pairs.length === 0 ? undefined : random.pick(this.pairs);
  }
}
