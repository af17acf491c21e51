import { CATEGORY_PREFIX, type JobCategory } from './ontologies.js';
import { readTable } from './tables.js';

/** The relationships that a hirer may have with the partner (interface 11). */
export const RELATIONSHIP_TYPES = [
  'ApplicationExport',
  'ApplicationPrefill',
  'CandidateProfiles',
  'CandidateVerification',
  'JobPosting',
  'ProactiveSourcing',
] as const;
/** One of the {@link RELATIONSHIP_TYPES}. */
export type RelationshipType = (typeof RELATIONSHIP_TYPES)[number];

/** The markets that a hirer may be at home in. */
export const MARKETS = ['AU', 'ID', 'TH'] as const;
/** One of the {@link MARKETS}. */
export type Market = (typeof MARKETS)[number];

/** A hirer of the mock market. Without any relationship, the partner has no access to it. */
export interface Hirer {
  readonly id: string;
  readonly name: string;
  readonly advertiserId: number;
  /** Its home market. */
  readonly market: Market;
  /** Where it recruits. */
  readonly countryCodes: readonly string[];
  relationships: RelationshipType[];
  /** The category, of those at the top, that it recruits in; all of them for an agency. */
  readonly tradeId?: string;
}

/** How the identifier of each hirer begins. */
export const ID_PREFIX = 'seekAnzPublicTest:organization:seek:';

/** An agency has no trade. */
type Row = readonly [
  suffix: string,
  name: string,
  market: Market,
  trade: string | null,
  relationships: readonly RelationshipType[],
];
const ROWS = readTable<readonly Row[]>('hirers');
/** Where an agency recruits. */
const AGENCY_COUNTRIES = ['AU', 'HK', 'MY', 'NZ', 'PH', 'SG'];
/** Their advertisers are numbered from here on. */
export const FIRST_ADVERTISER_ID = 10_000_001;

/** The hirers at start: three of the demo, one without a relationship, and one without members. */
export function makeHirers(): Hirer[] {
  return ROWS.map(([suffix, name, market, trade, relationships], index) => ({
    id: ID_PREFIX + suffix,
    name,
    advertiserId: FIRST_ADVERTISER_ID + index,
    market,
    countryCodes: trade === null ? AGENCY_COUNTRIES : [market],
    relationships: [...relationships],
    ...(trade !== null && { tradeId: CATEGORY_PREFIX + trade }),
  }));
}

/** The categories of the trade of a hirer that positions can have. */
export function tradeOf(
  { tradeId }: Hirer,
  { jobCategories }: { readonly jobCategories: ReadonlyMap<string, JobCategory> },
): JobCategory[] {
  return [...jobCategories.values()].filter(
    ({ parentId, titles }) => titles.length > 0 && (tradeId === undefined || parentId === tradeId),
  );
}
