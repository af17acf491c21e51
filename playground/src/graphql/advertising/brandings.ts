import type { Branding } from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { RootFields, TypeFields } from '../context.js';
import { findObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';

const BRAND_MANAGEMENT = { url: 'https://assets.playground.example/brand-management' };

/** Fields of brandings. */
export const brandingFields: TypeFields = {
  AdvertisementBranding: {
    images: ({ id }: Branding, _args: unknown, { baseUrl }) => {
      const folder = `${baseUrl}/anzPublicTest/brandings/${id.slice(id.lastIndexOf(':') + 1)}`;
      return [
        { typeCode: 'OriginalLogo', url: `${folder}/logo.svg` },
        { typeCode: 'CoverImage', url: `${folder}/cover.svg` },
      ];
    },
  },
  AdvertisementBrandingsConnection: { brandManagementUrl: () => BRAND_MANAGEMENT },
};

/** Queries for the brandings of hirers. */
export const brandingQueries: RootFields = {
  advertisementBranding: ({ id }: { id: string }, context) => {
    const branding = findObject(context.world.brandings, id, context);
    if (branding !== null) assertHirer(branding.hirerId, context);
    return branding;
  },
  advertisementBrandings: ({ hirerId, ...page }: PageArgs & { hirerId: string }, { world }) => {
    const own = [...world.brandings.values()].filter((branding) => branding.hirerId === hirerId);
    return pageOf(own, page, { list: 'advertisementBrandings', sizeMax: 100 });
  },
};
