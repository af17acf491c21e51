import type { Description, PositionOpening, PositionProfile } from '../../data/records.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { RootFields } from '../root-fields.js';
import { assertOneOf } from '../views/ontology-views.js';
import { openingView, positionProfileView } from '../views/position-views.js';
import { assertStateful } from './assert-stateful.js';
import {
  checkMetadata,
  checkTitle,
  readContact,
  readOpening,
  readProfile,
  requireOpening,
  requireProfile,
  type ContactInput,
  type OpeningInput,
  type ProfileInput,
} from './position-inputs.js';

const PROFILES_PER_OPENING_MAX = 25;

function keep(opening: PositionOpening, profile: PositionProfile, { world, emit }: Context): void {
  world.openings.set(opening.id, opening);
  world.positionProfiles.set(profile.id, profile);
  opening.profileIds.push(profile.id);
  if (profile.kind === 'unposted') return;
  opening.statusCode = 'Active';
  emit('PositionProfilePosted', { hirerId: opening.hirerId, members: { positionProfileId: profile.id } });
}

/** The profile that an earlier call with the same idempotencyId posted. */
function findPosted(profile: PositionProfile, { world }: Context): PositionProfile | undefined {
  return [...world.positionProfiles.values()].find(
    ({ idempotencyId, hirerId }) => idempotencyId === profile.idempotencyId && hirerId === profile.hirerId,
  );
}

interface PostInput {
  readonly positionOpening: OpeningInput;
  readonly positionProfile: ProfileInput;
}

function postPosition({ input }: { input: PostInput }, context: Context): object {
  const opening = readOpening(input.positionOpening, context);
  const profile = readProfile(input.positionProfile, opening, 'posted', context);
  assertStateful(context);
  const conflict = findPosted(profile, context);
  if (conflict !== undefined) {
    const conflicting = requireObject(context.world.openings, conflict.openingId, 'opening');
    return {
      __typename: 'PostPositionPayload_Conflict',
      conflictingPositionOpening: openingView(conflicting),
      conflictingPositionProfile: positionProfileView(conflict),
    };
  }
  keep(opening, profile, context);
  return {
    __typename: 'PostPositionPayload_Success',
    positionOpening: openingView(opening),
    positionProfile: positionProfileView(profile),
  };
}

interface ForOpeningInput {
  readonly positionOpening: { readonly documentId: string };
  readonly positionProfile: ProfileInput;
}

/** Checks a further profile of an opening; throws when the opening is full. */
function readForOpening(
  input: ForOpeningInput,
  kind: PositionProfile['kind'],
  context: Context,
): { opening: PositionOpening; profile: PositionProfile } {
  const opening = requireOpening(input.positionOpening.documentId, context);
  const profile = readProfile(input.positionProfile, opening, kind, context);
  if (opening.profileIds.length >= PROFILES_PER_OPENING_MAX) {
    throw graphqlError(
      'BAD_USER_INPUT',
      `An opening may have at most ${String(PROFILES_PER_OPENING_MAX)} profiles.`,
    );
  }
  return { opening, profile };
}

function postForOpening({ input }: { input: ForOpeningInput }, context: Context): object {
  const { opening, profile } = readForOpening(input, 'posted', context);
  assertStateful(context);
  const conflict = findPosted(profile, context);
  if (conflict !== undefined) {
    return {
      __typename: 'PostPositionProfileForOpeningPayload_Conflict',
      conflictingPositionProfile: positionProfileView(conflict),
    };
  }
  keep(opening, profile, context);
  return {
    __typename: 'PostPositionProfileForOpeningPayload_Success',
    positionProfile: positionProfileView(profile),
  };
}

function createUnposted({ input }: { input: ForOpeningInput }, context: Context): object {
  const { opening, profile } = readForOpening(input, 'unposted', context);
  assertStateful(context);
  keep(opening, profile, context);
  return { positionProfile: positionProfileView(profile) };
}

interface ChangeInput {
  readonly profileId: string;
  readonly positionTitle: string;
  readonly positionFormattedDescriptions?: readonly Description[] | null;
  readonly seekHirerJobReference?: string | null;
  readonly seekPartnerMetadata?: string | null;
}

const update =
  (kind: PositionProfile['kind']) =>
  ({ input }: { input: { positionProfile: ChangeInput } }, context: Context): object => {
    const change = input.positionProfile;
    const profile = requireProfile(change.profileId, kind, context);
    checkTitle(change.positionTitle);
    checkMetadata(change.seekPartnerMetadata);
    assertStateful(context);
    profile.title = change.positionTitle;
    profile.descriptions = change.positionFormattedDescriptions ?? profile.descriptions;
    profile.jobReference = change.seekHirerJobReference ?? profile.jobReference;
    profile.partnerMetadata = change.seekPartnerMetadata ?? profile.partnerMetadata;
    if (kind === 'posted') announce('PositionProfileUpdated', profile, context);
    return { positionProfile: positionProfileView(profile) };
  };

function announce(
  type: 'PositionProfileUpdated' | 'PositionProfileClosed',
  profile: PositionProfile,
  { emit }: Context,
): void {
  emit(type, { hirerId: profile.hirerId, members: { positionProfileId: profile.id } });
}

interface ProfileIdInput {
  readonly positionProfile: { readonly profileId: string };
}

function close({ input }: { input: ProfileIdInput }, context: Context): object {
  const profile = requireProfile(input.positionProfile.profileId, 'posted', context);
  assertStateful(context);
  if (profile.endMs !== null && profile.endMs <= context.now()) {
    throw graphqlError('FORBIDDEN', 'The profile is already closed.');
  }
  profile.endMs = context.now();
  requireOpening(profile.openingId, context).statusCode = 'Closed';
  announce('PositionProfileClosed', profile, context);
  return { positionProfile: positionProfileView(profile) };
}

function deleteUnposted({ input }: { input: ProfileIdInput }, context: Context): object {
  const profile = requireProfile(input.positionProfile.profileId, 'unposted', context);
  assertStateful(context);
  const { profileIds } = requireOpening(profile.openingId, context);
  profileIds.splice(profileIds.indexOf(profile.id), 1);
  context.world.positionProfiles.delete(profile.id);
  return { positionProfile: positionProfileView(profile) };
}

function createOpening({ input }: { input: { positionOpening: OpeningInput } }, context: Context): object {
  const opening = readOpening(input.positionOpening, context);
  assertStateful(context);
  context.world.openings.set(opening.id, opening);
  return { positionOpening: openingView(opening) };
}

function updateStatus(
  { input }: { input: { documentId: string; statusCode: string } },
  context: Context,
): object {
  const opening = requireOpening(input.documentId, context);
  assertOneOf(input.statusCode, ['Incomplete', 'Active', 'Closed'], 'statusCode');
  assertStateful(context);
  opening.statusCode = input.statusCode;
  return { positionOpening: openingView(opening) };
}

function updateContacts(
  { input }: { input: { documentId: string; personContacts: readonly ContactInput[] } },
  context: Context,
): object {
  const opening = requireOpening(input.documentId, context);
  const contacts = input.personContacts.map(readContact);
  assertStateful(context);
  opening.contacts = contacts;
  return { positionOpening: openingView(opening) };
}

function deleteOpening(
  { input }: { input: { positionOpening: { documentId: string } } },
  context: Context,
): object {
  const opening = requireOpening(input.positionOpening.documentId, context);
  const { world } = context;
  if (opening.profileIds.some((id) => world.positionProfiles.get(id)?.kind === 'posted')) {
    throw graphqlError('BAD_USER_INPUT', 'An opening with an advertised profile cannot be deleted.');
  }
  assertStateful(context);
  for (const id of opening.profileIds) world.positionProfiles.delete(id);
  world.openings.delete(opening.id);
  return { positionOpening: openingView(opening) };
}

/** Mutations of position openings and of their profiles. */
export const positionMutations: RootFields = {
  postPosition,
  postPositionProfileForOpening: postForOpening,
  updatePostedPositionProfile: update('posted'),
  closePostedPositionProfile: close,
  createPositionOpening: createOpening,
  updatePositionOpeningStatus: updateStatus,
  updatePositionOpeningPersonContacts: updateContacts,
  deletePositionOpening: deleteOpening,
  createUnpostedPositionProfileForOpening: createUnposted,
  updateUnpostedPositionProfile: update('unposted'),
  deleteUnpostedPositionProfile: deleteUnposted,
};
