import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { advertising } from '../advertising.js';
import { candidates } from '../candidates/candidates.js';
import { processHistory } from '../candidates/process-history.js';
import { uploading } from '../candidates/uploading.js';
import { events } from '../events.js';
import { hirers } from '../hirers.js';
import { ontologies } from '../ontologies.js';
import { openings } from '../positions/openings.js';
import { posting } from '../positions/posting.js';
import { profileChanges } from '../positions/profile-changes.js';
import { profiles } from '../positions/profiles.js';
import { questionnaireMutations } from '../questionnaires/questionnaire-mutations.js';
import { questionnaires } from '../questionnaires/questionnaires.js';
import { RELATIONS } from '../relations.js';
import { subscriptions } from '../webhooks/requests.js';
import { subscribing } from '../webhooks/subscribing.js';
import { buildPlaygroundSchema, type Resolvers } from './build-schema.js';

/** The answer of `version`. */
const UPSTREAM_VERSION = '2026.11.1';

const PARTS: readonly Resolvers[] = [
  { Query: { version: () => UPSTREAM_VERSION }, Mutation: { _empty: () => () => null }, types: RELATIONS },
  hirers,
  ontologies,
  advertising,
  questionnaires,
  questionnaireMutations,
  openings,
  posting,
  profileChanges,
  profiles,
  candidates,
  uploading,
  processHistory,
  events,
  subscriptions,
  subscribing,
];

/** The schema as text: `playground/schema.graphql`. */
export function readSdl(): string {
  return readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
}

let schema: GraphQLSchema | undefined;

/** The whole schema of the upstream, executable. It holds no state, so every playground of a process shares one. */
export function theSchema(): GraphQLSchema {
  return (schema ??= buildPlaygroundSchema(readSdl(), PARTS));
}
