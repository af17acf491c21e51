import { isPosted, type PostedProfile } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import type { Context, Input } from '../context.js';
import { graphqlError, invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import {
  assertOrganization,
  contentOf,
  FIELD,
  idOf,
  readAdChange,
  readEnd,
  type PostingInput,
} from './posting.js';

/** An ad that is live and that the partner may change; `FORBIDDEN` once it is closed. */
function requireOpenAd(id: string, context: Context): PostedProfile {
  const field = `${FIELD}.profileId`;
  const profile = requireObject(context.world.positionProfiles, id, field);
  assertHirer(profile.hirerId, context, 'JobPosting');
  if (!isPosted(profile)) throw invalid(field, 'must identify a posted profile');
  if (profile.ad.endMs > context.now()) return profile;
  throw graphqlError('FORBIDDEN', 'The position profile is already closed.', field);
}

type Wish<T = object> = Input<'positionProfile', T & { readonly profileId: string }>;

/** Mutations of ads that are live. */
export const liveAds: Resolvers = {
  Mutation: {
    updatePostedPositionProfile: ({ input: { positionProfile: input } }: Wish<PostingInput>, context) => {
      const profile = requireOpenAd(input.profileId, context);
      const { id: positionProfileId, hirerId, ad } = profile;
      assertOrganization(input.positionOrganizations, hirerId);
      const change = readAdChange(input, hirerId, FIELD, context);
      if ((change.applicationUri === null) !== (ad.applicationUri === null)) {
        const path = `${FIELD}.postingInstructions[0].applicationMethods`;
        throw invalid(path, 'must not change where people apply');
      }
      const endMs = readEnd(input, ad.startMs, context);
      return () => {
        Object.assign(profile, contentOf(input));
        Object.assign(ad, change, endMs === undefined ? {} : { endMs });
        if (endMs !== undefined) context.ads.planEnd(profile);
        context.tell('PositionProfileUpdated', { hirerId, members: { positionProfileId } });
        return { positionProfile: idOf(profile) };
      };
    },
    closePostedPositionProfile: ({ input }: Wish, context) => {
      const profile = requireOpenAd(input.positionProfile.profileId, context);
      return () => {
        context.ads.close(profile);
        return { positionProfile: idOf(profile) };
      };
    },
  },
};
