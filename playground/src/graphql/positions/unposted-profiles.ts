import type { PositionProfile } from '../../data/positions/position-records.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { assertOrganization, assertRoom, requireOpening, requireUnposted } from './position-lookups.js';
import { positionProfileView } from './position-views.js';
import { readUnpostedContent, type ProfileInput } from './profile-input.js';

interface UnpostedInput extends ProfileInput {
  readonly profileName?: string | null;
}

const FIELD = 'input.positionProfile';

interface CreateInput {
  readonly positionProfile: UnpostedInput & {
    readonly positionOpeningId: string;
    readonly positionOrganizations: readonly string[];
  };
}

function create({ input }: { input: CreateInput }, context: Context): object {
  const { positionOpeningId, positionOrganizations, profileName } = input.positionProfile;
  const opening = requireOpening(positionOpeningId, `${FIELD}.positionOpeningId`, context);
  assertOrganization(positionOrganizations, opening.hirerId, FIELD);
  const content = readUnpostedContent(input.positionProfile, FIELD, context);
  assertRoom(opening, `${FIELD}.positionOpeningId`);
  assertStateful(context);
  const profile: PositionProfile = {
    id: context.world.newId('globalPublicTest:positionProfile:unposted'),
    openingId: opening.id,
    hirerId: opening.hirerId,
    name: profileName ?? null,
    ...content,
    ad: null,
  };
  context.world.positionProfiles.set(profile.id, profile);
  opening.profileIds.push(profile.id);
  return { positionProfile: positionProfileView(profile) };
}

interface UpdateInput {
  readonly positionProfile: UnpostedInput & { readonly profileId: string };
}

function update({ input }: { input: UpdateInput }, context: Context): object {
  const profile = requireUnposted(input.positionProfile.profileId, `${FIELD}.profileId`, context);
  const content = readUnpostedContent(input.positionProfile, FIELD, context);
  assertStateful(context);
  Object.assign(profile, content, { name: input.positionProfile.profileName ?? null });
  return { positionProfile: positionProfileView(profile) };
}

interface DeleteInput {
  readonly positionProfile: { readonly profileId: string };
}

function remove({ input }: { input: DeleteInput }, context: Context): object {
  const profile = requireUnposted(input.positionProfile.profileId, `${FIELD}.profileId`, context);
  const { profileIds } = requireOpening(profile.openingId, `${FIELD}.profileId`, context);
  assertStateful(context);
  profileIds.splice(profileIds.indexOf(profile.id), 1);
  context.world.positionProfiles.delete(profile.id);
  return { positionProfile: positionProfileView(profile) };
}

/** Mutations of profiles for internal use. */
export const unpostedMutations: RootFields = {
  createUnpostedPositionProfileForOpening: create,
  updateUnpostedPositionProfile: update,
  deleteUnpostedPositionProfile: remove,
};
