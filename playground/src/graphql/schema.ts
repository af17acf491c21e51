import type { GraphQLSchema } from 'graphql';
import { buildPlaygroundSchema } from './build-schema.js';
import { candidateMutations } from './mutations/candidate-mutations.js';
import { positionMutations } from './mutations/position-mutations.js';
import { questionnaireMutations } from './mutations/questionnaire-mutations.js';
import { webhookMutations } from './mutations/webhook-mutations.js';
import type { RootFields } from './root-fields.js';
import { ADVERTISING } from './schema/advertising.js';
import { CANDIDATE_MUTATIONS } from './schema/candidate-mutations.js';
import { CANDIDATES } from './schema/candidates.js';
import { CORE } from './schema/core.js';
import { EVENTS } from './schema/events.js';
import { ONTOLOGIES } from './schema/ontologies.js';
import { ORGANIZATIONS } from './schema/organizations.js';
import { POSITION_MUTATIONS } from './schema/position-mutations.js';
import { POSITIONS } from './schema/positions.js';
import { WEBHOOKS } from './schema/webhooks.js';
import { advertisingQueries } from './views/advertising-views.js';
import { candidateQueries } from './views/candidate-views.js';
import { eventQueries } from './views/event-views.js';
import { ontologyQueries } from './views/ontology-views.js';
import { organizationQueries } from './views/organization-views.js';
import { positionQueries } from './views/position-views.js';
import { webhookQueries } from './views/webhook-views.js';

/** What `version` answers. */
export const UPSTREAM_VERSION = '2026.11.1';

const SDL = [
  CORE,
  ORGANIZATIONS,
  ONTOLOGIES,
  ADVERTISING,
  POSITIONS,
  POSITION_MUTATIONS,
  CANDIDATES,
  CANDIDATE_MUTATIONS,
  EVENTS,
  WEBHOOKS,
].join('\n');

const QUERIES: RootFields = {
  version: () => UPSTREAM_VERSION,
  ...organizationQueries,
  ...ontologyQueries,
  ...advertisingQueries,
  ...positionQueries,
  ...candidateQueries,
  ...eventQueries,
  ...webhookQueries,
};

const MUTATIONS: RootFields = {
  ...questionnaireMutations,
  ...positionMutations,
  ...candidateMutations,
  ...webhookMutations,
};

let schema: GraphQLSchema | undefined;

/** The whole schema of the upstream, executable. It holds no state, so every playground of a process shares one. */
export function theSchema(): GraphQLSchema {
  return (schema ??= buildPlaygroundSchema(SDL, { Query: QUERIES, Mutation: MUTATIONS }));
}
