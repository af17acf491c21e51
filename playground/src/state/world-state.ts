import type { Hirer, RelationshipType } from '../data/hirers/hirers.js';
import type { EventRecord } from '../data/records.js';
import { World } from '../data/world.js';

/** The parts of a world that change, by identifier. */
const RECORDS = [
  'openings',
  'positionProfiles',
  'candidates',
  'candidateProfiles',
  'steps',
  'attachments',
  'brandings',
  'questionnaires',
] as const;

/** A world as JSON. */
export interface WorldState {
  readonly relationships: Readonly<Record<string, readonly RelationshipType[]>>;
  /** Absent from what earlier versions kept. */
  readonly hirers?: readonly Hirer[];
  readonly events: readonly EventRecord[];
  readonly records: Readonly<Record<(typeof RECORDS)[number], readonly { readonly id: string }[]>>;
}

/** Everything in a world that may differ from a new one. */
export function dumpWorld(world: World): WorldState {
  const records = RECORDS.map((name) => [name, [...world[name].values()]] as const);
  return {
    relationships: Object.fromEntries([...world.hirers].map(([id, hirer]) => [id, hirer.relationships])),
    hirers: [...world.hirers.values()],
    events: world.events.since(-Infinity),
    records: Object.fromEntries(records) as unknown as WorldState['records'],
  };
}

/** The world that was dumped. New identifiers differ from those it has, whatever the seed. */
export function loadWorld(state: WorldState, seed: string): World {
  const world = new World(seed);
  for (const hirer of state.hirers ?? []) world.hirers.set(hirer.id, hirer);
  for (const [id, relationships] of Object.entries(state.relationships)) {
    const hirer = world.hirers.get(id);
    if (hirer !== undefined) hirer.relationships = [...relationships];
  }
  for (const name of RECORDS) {
    const records = world[name] as Map<string, { readonly id: string }>;
    for (const record of state.records[name]) records.set(record.id, record);
  }
  world.events.addAll(state.events);
  return world;
}
