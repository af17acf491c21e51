import { ID_PREFIX, type Hirer, type RelationshipType } from './hirers.js';
import { populateHirer } from './populate-hirer.js';
import type { SeededRandom } from '../random.js';
import type { World } from '../world.js';

/** A hirer to add. */
export interface HirerWish {
  readonly name: string;
  /** Where it recruits; `AU` by default. */
  readonly market?: Hirer['market'];
  /** Its relationships with the partner; `[]` for a hirer that the partner has no access to. */
  readonly relationships?: readonly RelationshipType[];
}

const RELATIONSHIPS: readonly RelationshipType[] = [
  'ApplicationExport',
  'ApplicationPrefill',
  'JobPosting',
  'ProactiveSourcing',
];
const FIRST_ADVERTISER_ID = 10_000_001;

/** Adds a hirer with brandings and questionnaires to a world. */
export function addHirer(world: World, random: SeededRandom, wish: HirerWish): Hirer {
  const { name, market = 'AU', relationships = RELATIONSHIPS } = wish;
  const hirer: Hirer = {
    id: `${ID_PREFIX}${random.suffix(8)}`,
    name,
    advertiserId: FIRST_ADVERTISER_ID + world.hirers.size,
    market,
    countryCodes: [market],
    relationships: [...relationships],
  };
  world.hirers.set(hirer.id, hirer);
  populateHirer(world, hirer, random, false);
  return hirer;
}
