import type { Hirer } from './hirers.js';
import { populateHirer } from './make-hirer.js';
import { makeHistory } from './make-history.js';
import { makeOpening, makePosition } from './positions/make-position.js';
import { isLive, type PositionOpening, type PositionProfile } from './positions/position-records.js';
import { populateCandidates } from './candidates/populate-candidates.js';
import { SeededRandom } from './random.js';
import { World } from './world.js';

/** Identifiers that the upstream's public documentation shows, given to the first objects of the first hirer. */
const KNOWN_POSITIONS = ['2782PZfXV', '27cuZeA47'];

/** The choices that determine a world. */
export interface WorldPlan {
  /** The same seed gives the same objects. */
  readonly seed: string;
  /** How many openings each hirer has. */
  readonly size: number;
  /** The instant that all times are relative to, in milliseconds since the epoch. */
  readonly startMs: number;
}

/** The openings of each hirer, if nothing else is asked for. */
export const SIZE_DEFAULT = 100;

/**
 * A world full of data, the same for the same seed. Each hirer has its own generator, so that the data of one do not
 * affect another's.
 */
export function makeWorld(plan: WorldPlan): World {
  const { seed, startMs } = plan;
  const world = new World(seed, startMs);
  let isFirst = true;
  for (const hirer of world.hirers.values()) {
    const random = new SeededRandom(`${seed}:${hirer.id}`);
    populateHirer(world, hirer, random, isFirst);
    populatePositions(world, hirer, random, plan, isFirst ? KNOWN_POSITIONS : []);
    populateCandidates(world, hirer, random, startMs, isFirst);
    isFirst = false;
  }
  world.events.addAll(makeHistory(world, seed, startMs));
  return world;
}

/** Openings with a profile or several, and one without a profile. */
function populatePositions(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  { startMs, size }: WorldPlan,
  known: readonly string[],
): void {
  const empty = { ...makeOpening(hirer, random), statusCode: 'Incomplete' };
  world.openings.set(empty.id, empty);
  const openings: { opening: PositionOpening; newestMs: number }[] = [];
  for (let index = 0; index < size; index++) {
    const opening = makeOpening(hirer, random);
    const suffix = known[index];
    const isPosted = suffix !== undefined || random.chance(0.85);
    const profiles = isPosted && suffix === undefined && random.chance(0.2) ? random.int(2, 3) : 1;
    const made: PositionProfile[] = [];
    for (let n = 0; n < profiles; n++) {
      made.push(makePosition(world, hirer, opening, random, { startMs, isPosted, suffix, vacancy: made[0] }));
    }
    made.sort((a, b) => (a.ad?.startMs ?? 0) - (b.ad?.startMs ?? 0));
    for (const profile of made) {
      world.positionProfiles.set(profile.id, profile);
      opening.profileIds.push(profile.id);
    }
    if (!isPosted) opening.statusCode = 'Incomplete';
    else if (!made.some((profile) => isLive(profile, startMs))) opening.statusCode = 'Closed';
    openings.push({ opening, newestMs: Math.max(...made.map(({ ad }) => ad?.startMs ?? 0)) });
  }
  // Lists begin with what was added last: the newest ad, then those before it.
  openings.sort((a, b) => a.newestMs - b.newestMs);
  for (const { opening } of openings) world.openings.set(opening.id, opening);
}
