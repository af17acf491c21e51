import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { advertisingFields, advertisingQueries } from '../advertising.js';
import { buildPlaygroundSchema } from './build-schema.js';
import { candidateFields, candidateQueries } from '../candidates/candidates.js';
import { processHistoryMutations } from '../candidates/process-history.js';
import { uploadMutations } from '../candidates/uploading.js';
import { eventFields, eventQueries } from '../events.js';
import { ontologyFields, ontologyQueries } from '../ontologies.js';
import { hirerFields, hirerQueries } from '../hirers.js';
import { liveAdMutations } from '../positions/live-ads.js';
import { openingMutations, openingQueries } from '../positions/openings.js';
import { postingMutations } from '../positions/posting.js';
import { positionFields, profileQueries } from '../positions/profiles.js';
import { unpostedMutations } from '../positions/unposted-profiles.js';
import { questionnaireMutations } from '../questionnaires/questionnaire-mutations.js';
import { questionnaireFields, questionnaireQueries } from '../questionnaires/questionnaires.js';
import { RELATIONS } from '../relations.js';
import { webhookFields, webhookQueries } from '../webhooks/requests.js';
import { webhookMutations } from '../webhooks/subscribing.js';
import { MONTHLY_PAY, PAY_TYPES } from '../../data/positions/pay.js';
import { assertStateful, type RootFields, type TypeFields } from '../context.js';

const MARKET_CURRENCIES = Object.keys(MONTHLY_PAY);
/** Those that pay can be stated in besides. */
const OTHER_CURRENCIES = ['BDT', 'CNY', 'EUR', 'GBP', 'INR', 'JPY', 'VND'];
/** The answer of `version`. */
const UPSTREAM_VERSION = '2026.11.1';

const QUERIES: RootFields = {
  version: () => UPSTREAM_VERSION,
  currencies: ({ usageTypeCode }: { usageTypeCode: string }) =>
    [...MARKET_CURRENCIES, ...(usageTypeCode === 'All' ? OTHER_CURRENCIES : [])].map((code) => ({ code })),
  payTypes: () => PAY_TYPES,
  ...hirerQueries,
  ...ontologyQueries,
  ...advertisingQueries,
  ...questionnaireQueries,
  ...openingQueries,
  ...profileQueries,
  ...candidateQueries,
  ...eventQueries,
  ...webhookQueries,
};

const MUTATIONS: RootFields = {
  _empty: (_args, context) => {
    assertStateful(context);
    return null;
  },
  ...questionnaireMutations,
  ...postingMutations,
  ...liveAdMutations,
  ...openingMutations,
  ...unpostedMutations,
  ...uploadMutations,
  ...processHistoryMutations,
  ...webhookMutations,
};

const FIELDS = [
  hirerFields,
  ontologyFields,
  advertisingFields,
  questionnaireFields,
  positionFields,
  candidateFields,
  eventFields,
  webhookFields,
];

/** The fields of all types: the relations, and what is worked out of a record. */
function typeFields(): TypeFields {
  const types: Record<string, TypeFields[string]> = {};
  for (const [type, fields] of [RELATIONS, ...FIELDS].flatMap((table) => Object.entries(table))) {
    types[type] = { ...types[type], ...fields };
  }
  return types;
}

/** The schema as text: `playground/schema.graphql`. */
export function readSdl(): string {
  return readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
}

let schema: GraphQLSchema | undefined;

/** The whole schema of the upstream, executable. It holds no state, so every playground of a process shares one. */
export function theSchema(): GraphQLSchema {
  return (schema ??= buildPlaygroundSchema(readSdl(), {
    Query: QUERIES,
    Mutation: MUTATIONS,
    types: typeFields(),
  }));
}
