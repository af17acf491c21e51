import type { PositionProfile, ProfileContent } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import type { Context, Input } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import { assertOrganization, assertRoom, contentOf, FIELD, requireOpening } from './posting.js';

/** The input of a profile, with the members of one mutation. */
type Wish<T> = Input<'positionProfile', T & ProfileContent & { readonly profileName: string | null }>;
type CreateInput = { positionOpeningId: string; positionOrganizations: readonly [string] };

/** A profile for internal use that the partner may change. */
function requireUnposted(id: string, context: Context): PositionProfile {
  const field = `${FIELD}.profileId`;
  const profile = requireObject(context.world.positionProfiles, id, field);
  assertHirer(profile.hirerId, context, 'JobPosting', 'ProactiveSourcing');
  if (profile.ad !== null) throw invalid(field, 'must identify an unposted profile');
  return profile;
}

/** Mutations of profiles for internal use. */
export const unpostedProfiles: Resolvers = {
  Mutation: {
    createUnpostedPositionProfileForOpening: ({ input }: Wish<CreateInput>, context) => {
      const { positionOpeningId, positionOrganizations, profileName, ...others } = input.positionProfile;
      const field = `${FIELD}.positionOpeningId`;
      const opening = requireOpening(positionOpeningId, field, context);
      assertOrganization(positionOrganizations, opening.hirerId);
      assertRoom(opening, field);
      return () => {
        const { id: openingId, hirerId, profileIds } = opening;
        const id = context.world.newId('globalPublicTest:positionProfile:unposted');
        const positionProfile = { id, openingId, hirerId, profileName, ...contentOf(others), ad: null };
        context.world.positionProfiles.set(id, positionProfile);
        profileIds.push(id);
        return { positionProfile };
      };
    },
    updateUnpostedPositionProfile: ({ input }: Wish<{ profileId: string }>, context) => {
      const { profileId, profileName, ...others } = input.positionProfile;
      const profile = requireUnposted(profileId, context);
      return () => ({ positionProfile: Object.assign(profile, contentOf(others), { profileName }) });
    },
    deleteUnpostedPositionProfile: ({ input }: Input<'positionProfile', { profileId: string }>, context) => {
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
