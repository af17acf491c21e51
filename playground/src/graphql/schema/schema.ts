import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { brandingQueries } from '../advertising/branding-views.js';
import { hirerProductQueries } from '../advertising/hirer-products.js';
import { productQueries } from '../advertising/product-views.js';
import { buildPlaygroundSchema } from './build-schema.js';
import { candidateQueries } from '../candidates/candidate-queries.js';
import { processHistoryMutations } from '../candidates/process-history.js';
import { uploadMutations } from '../candidates/uploading.js';
import { eventQueries } from '../events/event-queries.js';
import { categoryQueries } from '../ontologies/category-views.js';
import { locationQueries } from '../ontologies/location-views.js';
import { payQueries } from '../ontologies/pay-views.js';
import { organizationQueries } from '../organizations/organization-views.js';
import { openingMutations } from '../positions/openings.js';
import { positionQueries } from '../positions/position-queries.js';
import { postingMutations } from '../positions/posting.js';
import { unpostedMutations } from '../positions/unposted-profiles.js';
import { questionnaireMutations } from '../questionnaires/questionnaire-mutations.js';
import { questionnaireQueries } from '../questionnaires/questionnaire-views.js';
import { webhookMutations } from '../webhooks/subscribing.js';
import { webhookQueries } from '../webhooks/webhook-queries.js';
import { assertStateful, type RootFields } from '../context.js';

/** The answer of `version`. */
const UPSTREAM_VERSION = '2026.11.1';

const QUERIES: RootFields = {
  version: () => UPSTREAM_VERSION,
  ...organizationQueries,
  ...locationQueries,
  ...categoryQueries,
  ...payQueries,
  ...brandingQueries,
  ...productQueries,
  ...hirerProductQueries,
  ...questionnaireQueries,
  ...positionQueries,
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
  ...openingMutations,
  ...unpostedMutations,
  ...uploadMutations,
  ...processHistoryMutations,
  ...webhookMutations,
};

/** The schema as text: `playground/schema.graphql`. */
export function readSdl(): string {
  return readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
}

let schema: GraphQLSchema | undefined;

/** The whole schema of the upstream, executable. It holds no state, so every playground of a process shares one. */
export function theSchema(): GraphQLSchema {
  return (schema ??= buildPlaygroundSchema(readSdl(), { Query: QUERIES, Mutation: MUTATIONS }));
}
