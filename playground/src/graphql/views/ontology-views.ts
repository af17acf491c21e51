import type { JobCategory } from '../../data/job-categories.js';
import type { Location } from '../../data/locations.js';
import { MARKET_CURRENCIES, OTHER_CURRENCIES, PAY_TYPES } from '../../data/money.js';
import type { World } from '../../data/world.js';
import { textOf, type Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { findObject, requireObject } from '../find-object.js';
import type { RootFields } from '../root-fields.js';
import { assertScheme } from '../scheme.js';

type Lazy = (args: unknown, context: Context) => unknown;

/** Location of the schema. */
export function locationView(location: Location): object {
  const parent: Lazy = (_args, { world }) => {
    const found = location.parentId === null ? undefined : world.locations.get(location.parentId);
    return found === undefined ? null : locationView(found);
  };
  return {
    id: { value: location.id },
    name: (_args: unknown, context: Context) => textOf(location.name, context),
    contextualName: (_args: unknown, context: Context) => textOf(location.contextualName, context),
    countryCode: location.countryCode,
    currencies: location.currencyCodes.map((code) => ({ code })),
    parent,
    children: null,
  };
}

/** JobCategory of the schema. */
export function jobCategoryView(category: JobCategory): object {
  const parent: Lazy = (_args, { world }) => {
    const found = category.parentId === null ? undefined : world.jobCategories.get(category.parentId);
    return found === undefined ? null : jobCategoryView(found);
  };
  const children: Lazy = (_args, { world }) => {
    const found = childrenOf(world, category.id);
    return found.length === 0 ? null : found.map(jobCategoryView);
  };
  return {
    id: { value: category.id },
    name: (_args: unknown, context: Context) => textOf(category.name, context),
    parent,
    children,
  };
}

function childrenOf(world: World, parentId: string | null): JobCategory[] {
  return [...world.jobCategories.values()].filter((category) => category.parentId === parentId);
}

/** The requested number of suggestions, which may exceed the number returned where the upstream allows it. */
function sizeOf(first: number | null | undefined, askedMax: number, returnedMax = 10): number {
  const size = first ?? 10;
  if (size < 1 || size > askedMax) {
    throw graphqlError('BAD_USER_INPUT', `first must be from 1 to ${String(askedMax)}.`);
  }
  return Math.min(size, returnedMax);
}

interface SuggestionArgs {
  readonly schemeId: string;
  readonly text: string;
  readonly usageTypeCode: string;
  readonly hirerId?: string | null;
  readonly first?: number | null;
}

function suggestLocations(
  { schemeId, text, usageTypeCode, first }: SuggestionArgs,
  context: Context,
): object[] {
  assertScheme(schemeId);
  assertOneOf(usageTypeCode, ['PositionPosting', 'ProactiveSourcing'], 'usageTypeCode');
  const wanted = text.trim().toLowerCase();
  return [...context.world.locations.values()]
    .filter(({ name }) => wanted !== '' && textOf(name, context).toLowerCase().includes(wanted))
    .slice(0, sizeOf(first, 20))
    .map((location) => ({ location: locationView(location) }));
}

interface NearestArgs {
  readonly schemeId: string;
  readonly geoLocation: { readonly latitude: number; readonly longitude: number };
  readonly first?: number | null;
}

function nearestLocations({ schemeId, geoLocation, first }: NearestArgs, { world }: Context): object[] {
  assertScheme(schemeId);
  const { latitude, longitude } = geoLocation;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) {
    throw graphqlError('BAD_USER_INPUT', 'latitude is from -90 to 90, and longitude from -180 to 180.');
  }
  const distance = (location: Location): number =>
    Math.hypot(location.latitude - latitude, location.longitude - longitude);
  const nearest = [...world.locations.values()].sort((a, b) => distance(a) - distance(b));
  return nearest.slice(0, sizeOf(first, 10)).map(locationView);
}

interface InferArgs {
  readonly schemeId: string;
  readonly address: { readonly formattedAddress: string; readonly countryCode?: string | null };
}

/** The deepest location whose name is part of the address. */
function inferLocation({ schemeId, address }: InferArgs, { world }: Context): object | null {
  assertScheme(schemeId);
  const text = address.formattedAddress.toLowerCase();
  const found = [...world.locations.values()]
    .filter(({ countryCode }) => address.countryCode == null || address.countryCode === countryCode)
    .filter(({ name }) => text.includes(name['en-AU'].toLowerCase()))
    .at(-1);
  return found === undefined ? null : locationView(found);
}

interface CategorySuggestionArgs {
  readonly schemeId: string;
  readonly positionProfile: { readonly positionTitle: string; readonly positionLocation: readonly string[] };
  readonly first?: number | null;
}

function suggestCategories(
  { schemeId, positionProfile, first }: CategorySuggestionArgs,
  { world }: Context,
): object[] {
  assertScheme(schemeId);
  for (const id of positionProfile.positionLocation) requireObject(world.locations, id, 'positionLocation');
  const words = new Set(wordsOf(positionProfile.positionTitle));
  const confidence = ({ name, titles }: JobCategory): number => {
    const known = wordsOf([name['en-AU'], ...titles].join(' '));
    return words.size === 0 ? 0 : [...words].filter((word) => known.includes(word)).length / words.size;
  };
  return [...world.jobCategories.values()]
    .filter(({ titles }) => titles.length > 0)
    .map((category) => ({ confidence: confidence(category), category }))
    .filter((suggestion) => suggestion.confidence > 0)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, sizeOf(first, 10))
    .map((suggestion) => ({
      confidence: suggestion.confidence,
      jobCategory: jobCategoryView(suggestion.category),
    }));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Throws unless a code is one of those documented. */
export function assertOneOf(code: string, codes: readonly string[], member: string): void {
  if (!codes.includes(code)) {
    throw graphqlError('BAD_USER_INPUT', `${member} must be one of ${codes.join(', ')}.`);
  }
}

/** Queries for locations, job categories, currencies and pay types. */
export const ontologyQueries: RootFields = {
  location: ({ id }: { id: string }, context) => {
    const location = findObject(context.world.locations, id, context);
    return location && locationView(location);
  },
  locationSuggestions: suggestLocations,
  nearestLocations,
  inferLocation,
  jobCategories: (
    { schemeId, positionProfile }: { schemeId: string; positionProfile: { positionLocation: string[] } },
    { world },
  ) => {
    assertScheme(schemeId);
    for (const id of positionProfile.positionLocation) requireObject(world.locations, id, 'positionLocation');
    return childrenOf(world, null).map(jobCategoryView);
  },
  jobCategory: ({ id }: { id: string }, context) => {
    const category = findObject(context.world.jobCategories, id, context);
    return category && jobCategoryView(category);
  },
  jobCategorySuggestions: suggestCategories,
  currencies: ({ usageTypeCode }: { usageTypeCode: string }) => {
    assertOneOf(usageTypeCode, ['All', 'SEEKMarket'], 'usageTypeCode');
    const codes = usageTypeCode === 'All' ? [...MARKET_CURRENCIES, ...OTHER_CURRENCIES] : MARKET_CURRENCIES;
    return codes.map((code) => ({ code }));
  },
  payTypes: ({ schemeId }: { schemeId: string }, context) => {
    assertScheme(schemeId);
    return PAY_TYPES.map((type) => ({ ...type, label: textOf(type.label, context) }));
  },
};
