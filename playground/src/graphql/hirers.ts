import type { Hirer } from '../data/hirers.js';
import { assertHirer, reachesHirer, tokenOf } from './access.js';
import type { Context } from './context.js';
import { findObject } from './find-object.js';
import type { Resolvers } from './schema/build-schema.js';

/** The hirer by id, as far as the caller may see it. */
export function findHirer(id: string | null, context: Context): Hirer | null {
  const hirer = id === null ? null : findObject(context.world.hirers, id, context);
  if (hirer !== null) assertHirer(hirer.id, context);
  return hirer;
}

/** Hirers, and who the caller is. */
export const hirers: Resolvers = {
  types: {
    HiringOrganization: {
      seekAnzAdvertiserId: ({ advertiserId }: Hirer) => advertiserId,
      seekApiCapabilities: ({ relationships }: Hirer) => ({
        applicationMethodCodes: relationships.includes('JobPosting') ? ['ApplicationUri'] : [],
        relationshipTypeCodes: relationships,
      }),
    },
  },
  Query: {
    self: (_args, context) => {
      const token = tokenOf(context);
      return {
        hirer: token.kind === 'browser' ? findHirer(token.hirerId, context) : null,
        partner: { name: 'Playground Partner', credentialSelfServiceApprovedIndicator: true },
      };
    },
    hiringOrganization: ({ id }, context) => findHirer(id, context),
    hiringOrganizations: ({ schemeId, filter }, context) => {
      const search = filter?.nameSearch?.toLowerCase() ?? '';
      const types = filter?.relationshipTypeCodes ?? null;
      return [...context.world.hirers.values()]
        .filter(({ id }) => reachesHirer(id, context))
        .filter(({ id, name }) => id.startsWith(`${schemeId}:`) && name.toLowerCase().includes(search))
        .filter(({ relationships }) => types === null || relationships.some((type) => types.includes(type)))
        .sort((a, b) => a.name.localeCompare(b.name, 'en'));
    },
    seekAnzAdvertiser: ({ id }, context) => {
      const hirer = [...context.world.hirers.values()].find(({ advertiserId }) => advertiserId === id);
      return findHirer(hirer?.id ?? String(id), context);
    },
  },
};
