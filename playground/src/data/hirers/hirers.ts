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

/** The hirers at start: three of the demo, one without a relationship, and one without members. */
export function makeHirers(): Hirer[] {
  return [
    {
      id: `${ID_PREFIX}93WyyF1h`,
      name: 'Banksia Health Group',
      advertiserId: 10_000_001,
      market: 'AU',
      countryCodes: ['AU'],
      tradeId: `${CATEGORY_PREFIX}3HqVr6NcW`,
      relationships: ['ApplicationExport', 'ApplicationPrefill', 'JobPosting', 'ProactiveSourcing'],
    },
    {
      id: `${ID_PREFIX}4Kd8mQxT`,
      name: 'Nusantara Logistics',
      advertiserId: 10_000_002,
      market: 'ID',
      countryCodes: ['ID'],
      tradeId: `${CATEGORY_PREFIX}3RcJd2UkK`,
      relationships: ['ApplicationExport', 'JobPosting'],
    },
    {
      id: `${ID_PREFIX}7RwvC2Hn`,
      name: 'Chao Phraya Hotels',
      advertiserId: 10_000_003,
      market: 'TH',
      countryCodes: ['TH'],
      tradeId: `${CATEGORY_PREFIX}3MwCx4RgD`,
      relationships: ['ApplicationExport'],
    },
    {
      id: `${ID_PREFIX}5TgzB9Lp`,
      name: 'Southern Cross Mining',
      advertiserId: 10_000_004,
      market: 'AU',
      countryCodes: ['AU'],
      tradeId: `${CATEGORY_PREFIX}2Ze2oDqf5`,
      relationships: [],
    },
    {
      id: `${ID_PREFIX}8YnfJ3Vs`,
      name: 'Harbour Street Recruiters',
      advertiserId: 10_000_005,
      market: 'AU',
      countryCodes: ['AU', 'HK', 'MY', 'NZ', 'PH', 'SG'],
      relationships: ['ApplicationExport', 'JobPosting', 'ProactiveSourcing'],
    },
  ];
}
