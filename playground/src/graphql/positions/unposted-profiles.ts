import type { PositionProfile } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import { assertOrganization, assertRoom, readContent, requireOpening, type ContentInput } from './posting.js';

const FIELD = 'input.positionProfile';
const RANGES_MAX = 10;

type UnpostedInput = ContentInput & { readonly profileName?: string | null };
type Args<T> = { readonly input: { readonly positionProfile: T } };
type CreateInput = UnpostedInput & { positionOpeningId: string; positionOrganizations: readonly [string] };

/** A profile for internal use that the partner may change. */
function requireUnposted(id: string, context: Context): PositionProfile {
  const field = `${FIELD}.profileId`;
  const profile = requireObject(context.world.positionProfiles, id, field);
  assertHirer(profile.hirerId, context, 'JobPosting', 'ProactiveSourcing');
  if (profile.ad !== null) throw invalid(field, 'must identify an unposted profile');
  return profile;
}

/** Mutations of profiles for internal use. */
export const unpostedMutations: RootFields = {
  createUnpostedPositionProfileForOpening: ({ input }: Args<CreateInput>, context) => {
    const { positionOpeningId, positionOrganizations, profileName = null } = input.positionProfile;
    const field = `${FIELD}.positionOpeningId`;
    const opening = requireOpening(positionOpeningId, field, context);
    assertOrganization(positionOrganizations, opening.hirerId);
    const content = readContent(input.positionProfile, FIELD, RANGES_MAX);
    assertRoom(opening, field);
    assertStateful(context);
    const id = context.world.newId('globalPublicTest:positionProfile:unposted');
    const { id: openingId, hirerId } = opening;
    const profile: PositionProfile = { id, openingId, hirerId, profileName, ...content, ad: null };
    context.world.positionProfiles.set(id, profile);
    opening.profileIds.push(id);
    return { positionProfile: profile };
  },
  updateUnpostedPositionProfile: ({ input }: Args<UnpostedInput & { profileId: string }>, context) => {
    const { profileId, profileName = null } = input.positionProfile;
    const profile = requireUnposted(profileId, context);
    const content = readContent(input.positionProfile, FIELD, RANGES_MAX);
    assertStateful(context);
    return { positionProfile: Object.assign(profile, content, { profileName }) };
  },
  deleteUnpostedPositionProfile: ({ input }: Args<{ profileId: string }>, context) => {
    const profile = requireUnposted(input.positionProfile.profileId, context);
    const { profileIds } = requireOpening(profile.openingId, `${FIELD}.profileId`, context);
    assertStateful(context);
    profileIds.splice(profileIds.indexOf(profile.id), 1);
    context.world.positionProfiles.delete(profile.id);
    return { positionProfile: profile };
  },
};
