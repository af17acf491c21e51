import type { Hirer } from '../data/hirers/hirers.js';
import { assertHirer, reachesHirer, tokenOf } from './access.js';
import type { Context, RootFields, TypeFields } from './context.js';
import { findObject } from './find-object.js';
import { pageOf, type PageArgs } from './paging.js';

/** Fields of hirers. */
export const hirerFields: TypeFields = {
  HiringOrganization: {
    seekAnzAdvertiserId: ({ advertiserId }: Hirer) => advertiserId,
    seekApiCapabilities: ({ relationships }: Hirer) => ({
      applicationMethodCodes: relationships.includes('JobPosting') ? ['ApplicationUri'] : [],
      relationshipTypeCodes: relationships,
    }),
  },
};

/** The hirer by id, as far as the caller may see it. */
export function findHirer(id: string | null, context: Context): Hirer | null {
  const hirer = id === null ? null : findObject(context.world.hirers, id, context);
  if (hirer !== null) assertHirer(hirer.id, context);
  return hirer;
}

interface HirersArgs extends PageArgs {
  readonly schemeId: string;
  readonly filter?: {
    readonly nameSearch?: string | null;
    readonly relationshipTypeCodes?: string[] | null;
  } | null;
}

function listHirers({ schemeId, filter, ...page }: HirersArgs, context: Context): object {
  const search = filter?.nameSearch?.toLowerCase() ?? '';
  const types = filter?.relationshipTypeCodes;
  const hirers = [...context.world.hirers.values()]
    .filter(({ id }) => reachesHirer(id, context))
    .filter(({ id, name }) => id.startsWith(`${schemeId}:`) && name.toLowerCase().includes(search))
    .filter(({ relationships }) => types == null || relationships.some((type) => types.includes(type)))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return pageOf(hirers, page, { list: 'hiringOrganizations', sizeMax: 100 });
}

/** Queries for hirers, and for who the caller is. */
export const hirerQueries: RootFields = {
  self: (_args, context) => {
    const token = tokenOf(context);
    return {
      hirer: token.kind === 'browser' ? findHirer(token.hirerId, context) : null,
      partner: { name: 'Playground Partner', credentialSelfServiceApprovedIndicator: true },
    };
  },
  hiringOrganization: ({ id }: { id: string }, context) => findHirer(id, context),
  hiringOrganizations: listHirers,
  seekAnzAdvertiser: ({ id }: { id: number }, context) => {
    const hirer = [...context.world.hirers.values()].find(({ advertiserId }) => advertiserId === id);
    return findHirer(hirer?.id ?? String(id), context);
  },
};
