import type { Hirer } from '../../data/hirers.js';
import { assertHirer, tokenOf } from '../access.js';
import type { Context } from '../context.js';
import { unknownObject } from '../unknown-object.js';
import type { RootFields } from '../root-fields.js';

/** HiringOrganization of the schema. */
export function hirerView(hirer: Hirer): object {
  const canPost = hirer.relationships.includes('JobPosting');
  return {
    id: { value: hirer.id },
    name: hirer.name,
    seekAnzAdvertiserId: hirer.advertiserId,
    seekApiCapabilities: {
      applicationMethodCodes: canPost ? ['ApplicationLinkOut', 'NativeApply'] : ['NativeApply'],
      relationshipTypeCodes: hirer.relationships,
    },
  };
}

/** The hirer by id, as far as the caller may see it. */
export function findHirer(id: string, context: Context): object | null {
  const hirer = context.world.hirers.get(id);
  if (hirer === undefined) return unknownObject('hiring organization', context);
  assertHirer(id, context);
  return hirerView(hirer);
}

export const organizationQueries: RootFields = {
  self: (_args, context) => {
    const token = tokenOf(context);
    return {
      hirer: token.kind === 'browser' ? findHirer(token.hirerId, context) : null,
      partner: { name: 'Playground Partner', credentialSelfServiceApprovedIndicator: true },
    };
  },
  hiringOrganization: ({ id }: { id: string }, context) => findHirer(id, context),
};
