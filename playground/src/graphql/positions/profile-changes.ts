import { isPosted, type PositionProfile, type PostedProfile } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError, invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import {
  assertOrganization,
  assertRoom,
  FIELD,
  idOf,
  readAdChange,
  readEnd,
  requireOpening,
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

/** A profile for internal use that the partner may change. */
function requireUnposted(id: string, context: Context): PositionProfile {
  const field = `${FIELD}.profileId`;
  const profile = requireObject(context.world.positionProfiles, id, field);
  assertHirer(profile.hirerId, context, 'JobPosting', 'ProactiveSourcing');
  if (profile.ad !== null) throw invalid(field, 'must identify an unposted profile');
  return profile;
}

/** Mutations of ads that are live, and of profiles for internal use. */
export const profileChanges: Resolvers = {
  Mutation: {
    updatePostedPositionProfile: ({ input: { positionProfile: input } }, context) => {
      const profile = requireOpenAd(input.profileId, context);
      const { id: positionProfileId, hirerId, ad } = profile;
      assertOrganization(input.positionOrganizations, hirerId);
      const change = readAdChange(input, hirerId, FIELD, context);
      if ((change.applicationUri === null) !== (ad.applicationUri === null)) {
        const path = `${FIELD}.postingInstructions[0].applicationMethods`;
        throw invalid(path, 'must not change where people apply');
      }
      const endMs = readEnd(input.postingInstructions[0]!, ad.startMs, context);
      return () => {
        Object.assign(profile, input);
        Object.assign(ad, change, endMs === undefined ? {} : { endMs });
        if (endMs !== undefined) context.ads.planEnd(profile);
        context.tell('PositionProfileUpdated', { hirerId, members: { positionProfileId } });
        return { positionProfile: idOf(profile) };
      };
    },
    closePostedPositionProfile: ({ input }, context) => {
      const profile = requireOpenAd(input.positionProfile.profileId, context);
      return () => {
        context.ads.close(profile);
        return { positionProfile: idOf(profile) };
      };
    },
    createUnpostedPositionProfileForOpening: ({ input }, context) => {
      const { positionOpeningId, positionOrganizations, ...content } = input.positionProfile;
      const field = `${FIELD}.positionOpeningId`;
      const opening = requireOpening(positionOpeningId, field, context);
      assertOrganization(positionOrganizations, opening.hirerId);
      assertRoom(opening, field);
      return () => {
        const { id: openingId, hirerId, profileIds } = opening;
        const id = context.world.newId('globalPublicTest:positionProfile:unposted');
        const positionProfile = { ...content, id, openingId, hirerId, ad: null };
        context.world.positionProfiles.set(id, positionProfile);
        profileIds.push(id);
        return { positionProfile };
      };
    },
    updateUnpostedPositionProfile: ({ input }, context) => {
      const profile = requireUnposted(input.positionProfile.profileId, context);
      return () => ({ positionProfile: Object.assign(profile, input.positionProfile) });
    },
    deleteUnpostedPositionProfile: ({ input }, context) => {
      const positionProfile = requireUnposted(input.positionProfile.profileId, context);
      const { id, openingId } = positionProfile;
      const { profileIds } = requireOpening(openingId, `${FIELD}.profileId`, context);
      return () => {
        profileIds.splice(profileIds.indexOf(id), 1);
        context.world.positionProfiles.delete(id);
        return { positionProfile };
      };
    },
  },
};
