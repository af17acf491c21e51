import { readTable } from './tables.js';

/** The locales of interface.md, Content localisation; the first is what everything falls back to. */
export const LOCALES = ['en-AU', 'id-ID', 'th-TH'] as const;
/** One of the {@link LOCALES}. */
export type Locale = (typeof LOCALES)[number];

/** One text in every language. */
export type Localised = Readonly<Record<Locale, string>>;

/** A place in the location tree. */
export interface Location {
  readonly id: string;
  readonly name: Localised;
  readonly contextualName: Localised;
  readonly countryCode: string;
  readonly currencyCodes: readonly string[];
  readonly parentId: string | null;
  readonly latitude: number;
  readonly longitude: number;
}

/** A field of work; two levels. */
export interface JobCategory {
  readonly id: string;
  readonly name: Localised;
  readonly parentId: string | null;
  /** Titles that positions of this category have. */
  readonly titles: readonly string[];
}

/** A country's places, parents before their children. A name that is left out is the English one. */
interface Country {
  readonly countryCode: string;
  readonly currencyCodes: readonly string[];
  readonly places: readonly (readonly [
    suffix: string,
    parent: string | null,
    latitude: number,
    longitude: number,
    en: string,
    id?: string,
    th?: string,
  ])[];
}
type CategoryRow = readonly [suffix: string, en: string, id: string, th: string, titles?: readonly string[]];

const COUNTRIES = readTable<readonly Country[]>('countries');
const CATEGORY_TREES = readTable<readonly (readonly [CategoryRow, ...CategoryRow[]])[]>('jobCategories');
const LOCATION_PREFIX = 'seekAnzPublicTest:location:seek:';
/** How the identifier of each job category begins. */
export const CATEGORY_PREFIX = 'seekAnzPublicTest:jobCategory:seek:';

/** Every location by identifier, parents before their children. */
export function makeLocations(): Map<string, Location> {
  const locations = new Map<string, Location>();
  for (const { places, ...country } of COUNTRIES) {
    for (const [suffix, parent, latitude, longitude, en, id = en, th = en] of places) {
      const parentId = parent === null ? null : LOCATION_PREFIX + parent;
      const context = locations.get(parentId ?? '')?.contextualName;
      const name = localised(en, id, th);
      const contextualName =
        context === undefined
          ? name
          : localised(
              `${en}, ${context['en-AU']}`,
              `${id}, ${context['id-ID']}`,
              `${th} ${context['th-TH']}`,
            );
      const location = {
        id: LOCATION_PREFIX + suffix,
        name,
        contextualName,
        ...country,
        parentId,
        latitude,
        longitude,
      };
      locations.set(location.id, location);
    }
  }
  return locations;
}

/** Every category by identifier, parents before their children. */
export function makeJobCategories(): Map<string, JobCategory> {
  const categories = CATEGORY_TREES.flatMap((tree) =>
    tree.map(([suffix, en, id, th, titles = []], at): JobCategory => {
      const parentId = at === 0 ? null : CATEGORY_PREFIX + tree[0][0];
      return { id: CATEGORY_PREFIX + suffix, name: localised(en, id, th), parentId, titles };
    }),
  );
  return new Map(categories.map((category) => [category.id, category]));
}

function localised(en: string, id: string, th: string): Localised {
  return { 'en-AU': en, 'id-ID': id, 'th-TH': th };
}

/** One way to state pay. */
interface PayType {
  readonly basisCode: string;
  readonly intervalCode: string;
  readonly label: Localised;
}

/** Every way to state pay that a position may use. */
export const PAY_TYPES = readTable<readonly PayType[]>('payTypes');
/** Ordinary pay of a month in each currency of a market: the least, the most, and what amounts are rounded to. */
export const MONTHLY_PAY =
  readTable<Readonly<Record<string, readonly [from: number, to: number, step: number]>>>('monthlyPay');
