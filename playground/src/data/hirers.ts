/** What a hirer allows the partner to do (facts 11). */
export type RelationshipType =
  | 'ApplicationExport'
  | 'ApplicationPrefill'
  | 'JobPosting'
  | 'ProactiveSourcing';

/** A hirer of the mock market. Without any relationship, the partner has no access to it. */
export interface Hirer {
  readonly id: string;
  readonly name: string;
  readonly advertiserId: number;
  readonly market: 'AU' | 'ID' | 'TH';
  relationships: RelationshipType[];
}

const ID_PREFIX = 'seekAnzPublicTest:organization:seek:';

/** The hirers at start: three of the demo, one without a relationship, and one without members. */
export function makeHirers(): Hirer[] {
  return [
    {
      id: `${ID_PREFIX}93WyyF1h`,
      name: 'Banksia Health Group',
      advertiserId: 10_000_001,
      market: 'AU',
      relationships: ['ApplicationExport', 'ApplicationPrefill', 'JobPosting', 'ProactiveSourcing'],
    },
    {
      id: `${ID_PREFIX}4Kd8mQxT`,
      name: 'Nusantara Logistics',
      advertiserId: 10_000_002,
      market: 'ID',
      relationships: ['ApplicationExport', 'JobPosting'],
    },
    {
      id: `${ID_PREFIX}7RwvC2Hn`,
      name: 'Chao Phraya Hotels',
      advertiserId: 10_000_003,
      market: 'TH',
      relationships: ['ApplicationExport'],
    },
    {
      id: `${ID_PREFIX}5TgzB9Lp`,
      name: 'Southern Cross Mining',
      advertiserId: 10_000_004,
      market: 'AU',
      relationships: [],
    },
    {
      id: `${ID_PREFIX}8YnfJ3Vs`,
      name: 'Harbour Street Recruiters',
      advertiserId: 10_000_005,
      market: 'AU',
      relationships: ['ApplicationExport', 'JobPosting', 'ProactiveSourcing'],
    },
  ];
}
