import type { JobCategory } from '../ontologies/job-categories.js';

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

/** A hirer of the mock market. Without any relationship, the partner has no access to it. */
export interface Hirer {
  readonly id: string;
  readonly name: string;
  readonly advertiserId: number;
  /** Its home market. */
  readonly market: 'AU' | 'ID' | 'TH';
  /** Where it recruits. */
  readonly countryCodes: readonly string[];
  relationships: RelationshipType[];
  /** The category, of those at the top, that it recruits in; all of them for an agency. */
  readonly tradeId?: string;
}

/** The markets that a hirer may be at home in. */
export const MARKETS: readonly Hirer['market'][] = ['AU', 'ID', 'TH'];

/** How the identifier of each hirer begins. */
export const ID_PREFIX = 'seekAnzPublicTest:organization:seek:';
const CATEGORY_PREFIX = 'seekAnzPublicTest:jobCategory:seek:';

type Row = readonly [suffix: string, name: string, market: Hirer['market'], trade: string | undefined, relationships: readonly RelationshipType[]];

const ROWS: readonly Row[] = [
  ['93WyyF1h', 'Banksia Health Group', 'AU', '3HqVr6NcW', ['ApplicationExport', 'ApplicationPrefill', 'JobPosting', 'ProactiveSourcing']],
  ['4Kd8mQxT', 'Nusantara Logistics', 'ID', '3RcJd2UkK', ['ApplicationExport', 'JobPosting']],
  ['7RwvC2Hn', 'Chao Phraya Hotels', 'TH', '3MwCx4RgD', ['ApplicationExport']],
  ['5TgzB9Lp', 'Southern Cross Mining', 'AU', '2Ze2oDqf5', []],
  ['8YnfJ3Vs', 'Harbour Street Recruiters', 'AU', undefined, ['ApplicationExport', 'JobPosting', 'ProactiveSourcing']],
];
/** Where an agency recruits. */
const AGENCY_COUNTRIES = ['AU', 'HK', 'MY', 'NZ', 'PH', 'SG'];
const FIRST_ADVERTISER_ID = 10_000_001;

/** The hirers at start: three of the demo, one without a relationship, and one without members. */
export function makeHirers(): Hirer[] {
  return ROWS.map(([suffix, name, market, trade, relationships], index) => ({
    id: ID_PREFIX + suffix,
    name,
    advertiserId: FIRST_ADVERTISER_ID + index,
    market,
    countryCodes: trade === undefined ? AGENCY_COUNTRIES : [market],
    relationships: [...relationships],
    ...(trade !== undefined && { tradeId: CATEGORY_PREFIX + trade }),
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
