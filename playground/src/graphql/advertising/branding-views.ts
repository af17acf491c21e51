import type { Branding } from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { Context, RootFields } from '../context.js';
import { findObject, requireObject } from '../find-object.js';
import { hirerView } from '../organizations/organization-views.js';
import { pageOf, type PageArgs } from '../paging.js';

const ASSETS = 'https://assets.playground.example';

/** AdvertisementBranding of the schema. */
export function brandingView(branding: Branding): object {
  const name = branding.id.slice(branding.id.lastIndexOf(':') + 1);
  return {
    id: { value: branding.id },
    name: branding.name,
    hirer: (_args: unknown, { world }: Context) =>
      hirerView(requireObject(world.hirers, branding.hirerId, 'hirer')),
    images: (_args: unknown, { baseUrl }: Context) => [
      { typeCode: 'OriginalLogo', url: `${baseUrl}/anzPublicTest/brandings/${name}/logo.svg` },
      { typeCode: 'CoverImage', url: `${baseUrl}/anzPublicTest/brandings/${name}/cover.svg` },
    ],
  };
}

function listBrandings({ hirerId, ...page }: PageArgs & { hirerId: string }, { world }: Context): object {
  const own = [...world.brandings.values()].filter((branding) => branding.hirerId === hirerId);
  const rules = {
    list: 'advertisementBrandings',
    sizeMax: 100,
    keyOf: ({ id }: Branding) => id,
    node: brandingView,
  };
  return { ...pageOf(own, page, rules), brandManagementUrl: { url: `${ASSETS}/brand-management` } };
}

/** Queries for the brandings of hirers. */
export const brandingQueries: RootFields = {
  advertisementBranding: ({ id }: { id: string }, context) => {
    const branding = findObject(context.world.brandings, id, context);
    if (branding === null) return null;
    assertHirer(branding.hirerId, context);
    return brandingView(branding);
  },
  advertisementBrandings: listBrandings,
};
