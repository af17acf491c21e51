import type { Location } from '../../data/ontologies/locations.js';
import type { World } from '../../data/world.js';
import { type Context, type RootFields, textOf } from '../context.js';
import { invalid } from '../errors.js';
import { findObject } from '../find-object.js';
import { assertOneOf, readLimit } from '../input-checks.js';
import { assertScheme } from '../scheme.js';

/** Location of the schema. */
export function locationView(location: Location): object {
  return {
    id: { value: location.id },
    name: (_args: unknown, context: Context) => textOf(location.name, context),
    contextualName: (_args: unknown, context: Context) => textOf(location.contextualName, context),
    countryCode: location.countryCode,
    currencies: location.currencyCodes.map((code) => ({ code })),
    parent: (_args: unknown, { world }: Context) => {
      const parent = world.locations.get(location.parentId ?? '');
      return parent === undefined ? null : locationView(parent);
    },
    children: null,
  };
}

const SUGGESTIONS_MAX = 10;

interface SuggestionArgs {
  readonly schemeId: string;
  readonly text: string;
  readonly usageTypeCode: string;
  readonly hirerId?: string | null;
  readonly first?: number | null;
}

/** Twenty can be asked for, ten are returned. */
function suggestLocations(args: SuggestionArgs, context: Context): object[] {
  assertScheme(args.schemeId);
  assertOneOf(args.usageTypeCode, ['PositionPosting', 'ProactiveSourcing'], 'usageTypeCode');
  const size = Math.min(readLimit(args.first, 20), SUGGESTIONS_MAX);
  const wanted = args.text.trim().toLowerCase();
  const found = [...context.world.locations.values()].filter(
    ({ name }) => wanted !== '' && textOf(name, context).toLowerCase().includes(wanted),
  );
  return homeFirst(found, args.hirerId, context.world)
    .slice(0, size)
    .map((location) => ({ location: locationView(location) }));
}

/** The same locations, those of the hirer's country before the others. */
function homeFirst(locations: Location[], hirerId: string | null | undefined, { hirers }: World): Location[] {
  const market = hirers.get(hirerId ?? '')?.market;
  const isAbroad = ({ countryCode }: Location): number => (countryCode === market ? 0 : 1);
  return locations.sort((a, b) => isAbroad(a) - isAbroad(b));
}

interface NearestArgs {
  readonly schemeId: string;
  readonly geoLocation: { readonly latitude: number; readonly longitude: number };
  readonly first?: number | null;
}

function nearestLocations({ schemeId, geoLocation, first }: NearestArgs, { world }: Context): object[] {
  assertScheme(schemeId);
  const { latitude, longitude } = geoLocation;
  if (Math.abs(latitude) > 90) throw invalid('geoLocation.latitude', 'must be from -90 to 90');
  if (Math.abs(longitude) > 180) throw invalid('geoLocation.longitude', 'must be from -180 to 180');
  const distance = (location: Location): number =>
    Math.hypot(location.latitude - latitude, location.longitude - longitude);
  const nearest = [...world.locations.values()].sort((a, b) => distance(a) - distance(b));
  return nearest.slice(0, readLimit(first, SUGGESTIONS_MAX)).map(locationView);
}

interface InferArgs {
  readonly schemeId: string;
  readonly address: { readonly formattedAddress: string; readonly countryCode?: string | null };
  readonly hirerId?: string | null;
}

/** The deepest location whose name is part of the address. */
function inferLocation({ schemeId, address, hirerId }: InferArgs, { world }: Context): object | null {
  assertScheme(schemeId);
  const text = address.formattedAddress.toLowerCase();
  const found = [...world.locations.values()]
    .reverse()
    .filter(({ countryCode }) => address.countryCode == null || address.countryCode === countryCode)
    .filter(({ name }) => text.includes(name['en-AU'].toLowerCase()));
  const [best] = homeFirst(found, hirerId, world);
  return best === undefined ? null : locationView(best);
}

/** Queries for locations. */
export const locationQueries: RootFields = {
  location: ({ id }: { id: string }, context) => {
    const location = findObject(context.world.locations, id, context);
    return location && locationView(location);
  },
  locationSuggestions: suggestLocations,
  nearestLocations,
  inferLocation,
};
