import { isPosted, type PostedProfile } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { graphqlError, invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import {
  assertDescriptions,
  assertOrganization,
  FIELD,
  idOf,
  readAdChange,
  readContent,
  readEnd,
  type PostingInput,
  type ProfileArgs,
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

/** Mutations of ads that are live. */
export const liveAdMutations: RootFields = {
  updatePostedPositionProfile: (
    { input: { positionProfile: input } }: ProfileArgs<PostingInput & { profileId: string }>,
    context,
  ) => {
    const profile = requireOpenAd(input.profileId, context);
    assertOrganization(input.positionOrganizations, profile.hirerId);
    const content = readContent(input, FIELD, 1);
    assertDescriptions(content, FIELD);
    const change = readAdChange(input, profile.hirerId, FIELD, context);
    if ((change.applicationUri === null) !== (profile.ad.applicationUri === null)) {
      const path = `${FIELD}.postingInstructions[0].applicationMethods`;
      throw invalid(path, 'must not change where people apply');
    }
    const endMs = readEnd(input, profile.ad.startMs, context);
    assertStateful(context);
    Object.assign(profile, content);
    Object.assign(profile.ad, change, endMs === undefined ? {} : { endMs });
    if (endMs !== undefined) context.ads.planEnd(profile);
    const { id: positionProfileId, hirerId } = profile;
    context.tell('PositionProfileUpdated', { hirerId, members: { positionProfileId } });
    return { positionProfile: idOf(profile) };
  },
  closePostedPositionProfile: ({ input }: ProfileArgs<{ profileId: string }>, context) => {
    const profile = requireOpenAd(input.positionProfile.profileId, context);
    assertStateful(context);
    context.ads.close(profile);
    return { positionProfile: idOf(profile) };
  },
};
