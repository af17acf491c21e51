import { MONTHLY_PAY, PAY_TYPES, type JobCategory, type Location } from '../data/ontologies.js';
import type { World } from '../data/world.js';
import type {
  Query_inferLocation,
  Query_jobCategorySuggestions,
  Query_locationSuggestions,
  Query_nearestLocations,
} from './arguments.js';
import type { Context } from './context.js';
import { findObject } from './find-object.js';
import type { Resolvers } from './schema/build-schema.js';

const MARKET_CURRENCIES = Object.keys(MONTHLY_PAY);
/** Further currencies for pay. */
const OTHER_CURRENCIES = ['BDT', 'CNY', 'EUR', 'GBP', 'INR', 'JPY', 'VND'];

const SUGGESTIONS_MAX = 10;

/** Twenty can be asked for, ten are returned. */
function suggestLocations(
  { text, hirerId, first }: Query_locationSuggestions,
  { world, locale }: Context,
): object[] {
  const wanted = text.trim().toLowerCase();
  const found = [...world.locations.values()].filter(
    ({ name }) => wanted !== '' && name[locale].toLowerCase().includes(wanted),
  );
  return homeFirst(found, hirerId, world)
    .slice(0, Math.min(first ?? SUGGESTIONS_MAX, SUGGESTIONS_MAX))
    .map((location) => ({ location }));
}

/** The same locations, those of the hirer's country before the others. */
function homeFirst(locations: Location[], hirerId: string | null, { hirers }: World): Location[] {
  const market = hirers.get(hirerId ?? '')?.market;
  const isAbroad = ({ countryCode }: Location): number => (countryCode === market ? 0 : 1);
  return locations.sort((a, b) => isAbroad(a) - isAbroad(b));
}

function nearestLocations({ geoLocation, first }: Query_nearestLocations, { world }: Context): object[] {
  const { latitude, longitude } = geoLocation;
  const distance = (location: Location): number =>
    Math.hypot(location.latitude - latitude, location.longitude - longitude);
  const nearest = [...world.locations.values()].sort((a, b) => distance(a) - distance(b));
  return nearest.slice(0, first ?? SUGGESTIONS_MAX);
}

/** The deepest location whose name is part of the address. */
function inferLocation({ address, hirerId }: Query_inferLocation, { world }: Context): object | null {
  const text = address.formattedAddress.toLowerCase();
  const found = [...world.locations.values()]
    .reverse()
    .filter(({ countryCode }) => address.countryCode === null || address.countryCode === countryCode)
    .filter(({ name }) => text.includes(name['en-AU'].toLowerCase()));
  return homeFirst(found, hirerId, world)[0] ?? null;
}

/** The categories right below one, or the top level for null. */
function childrenOf({ jobCategories }: World, parentId: string | null): JobCategory[] {
  return [...jobCategories.values()].filter((category) => category.parentId === parentId);
}

function suggestCategories(
  { positionProfile, first }: Query_jobCategorySuggestions,
  { world }: Context,
): object[] {
  const words = new Set(wordsOf(positionProfile.positionTitle));
  const confidence = ({ name, titles }: JobCategory): number => {
    const known = wordsOf([name['en-AU'], ...titles].join(' '));
    return words.size === 0 ? 0 : [...words].filter((word) => known.includes(word)).length / words.size;
  };
  return [...world.jobCategories.values()]
    .filter(({ titles }) => titles.length > 0)
    .map((jobCategory) => ({ confidence: confidence(jobCategory), jobCategory }))
    .filter((suggestion) => suggestion.confidence > 0)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, first ?? 10);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Locations, job categories, and how pay is stated. */
export const ontologies: Resolvers = {
  types: {
    Location: { currencies: ({ currencyCodes }: Location) => currencyCodes.map((code) => ({ code })) },
    JobCategory: {
      children: ({ id }: JobCategory, _args: unknown, { world }) => {
        const children = childrenOf(world, id);
        return children.length === 0 ? null : children;
      },
    },
  },
  Query: {
    location: ({ id }, context) => findObject(context.world.locations, id, context),
    locationSuggestions: suggestLocations,
    nearestLocations,
    inferLocation,
    jobCategories: (_args, { world }) => childrenOf(world, null),
    jobCategory: ({ id }, context) => findObject(context.world.jobCategories, id, context),
    jobCategorySuggestions: suggestCategories,
    currencies: ({ usageTypeCode }) =>
      [...MARKET_CURRENCIES, ...(usageTypeCode === 'All' ? OTHER_CURRENCIES : [])].map((code) => ({ code })),
    payTypes: () => PAY_TYPES,
  },
};
