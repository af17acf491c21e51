import type { GraphQLSchema } from 'graphql';
import { buildPlaygroundSchema } from './build-schema.js';
import type { RootFields } from './root-fields.js';
import { CORE } from './schema/core.js';
import { ORGANIZATIONS } from './schema/organizations.js';
import { organizationQueries } from './views/organization-views.js';

/** What `version` answers. */
export const UPSTREAM_VERSION = '2026.11.1';

const QUERIES: RootFields = {
  version: () => UPSTREAM_VERSION,
  ...organizationQueries,
};

const MUTATIONS: RootFields = { _empty: () => null };

/** The whole schema of the upstream, executable. */
export function makeSchema(): GraphQLSchema {
  return buildPlaygroundSchema([CORE, ORGANIZATIONS].join('\n'), { Query: QUERIES, Mutation: MUTATIONS });
}
