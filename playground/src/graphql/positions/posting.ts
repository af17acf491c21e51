import {
  type PositionOpening,
  type PositionProfile,
  type PostedProfile,
} from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { readAd, readAdChange, readEnd, type AdInput } from './ad-input.js';
import { readOpening, type OpeningInput } from './openings.js';
import { assertOrganization, assertRoom, requireOpenAd, requireOpening } from './position-lookups.js';
import { readAdContent } from './profile-input.js';

/** The input of an ad for a hirer. */
interface PostingInput extends AdInput {
  readonly positionOrganizations: readonly string[];
}

interface PostInput {
  readonly positionOpening: OpeningInput;
  readonly positionProfile: PostingInput;
}

function postPosition({ input }: { input: PostInput }, context: Context): object {
  const opening = readOpening(input.positionOpening, 'input.positionOpening', context);
  assertHirer(opening.hirerId, context, 'JobPosting');
  const profile = readPosting(input.positionProfile, opening, context);
  assertStateful(context);
  const conflict = findRepeated(profile, context);
  if (conflict !== undefined) {
    return {
      __typename: 'PostPositionPayload_Conflict',
      conflictingPositionOpening: { documentId: { value: conflict.openingId } },
      conflictingPositionProfile: profileId(conflict),
    };
  }
  context.world.openings.set(opening.id, opening);
  context.ads.post(profile);
  return {
    __typename: 'PostPositionPayload_Success',
    positionOpening: { documentId: { value: opening.id } },
    positionProfile: profileId(profile),
  };
}

interface ForOpeningInput {
  readonly positionProfile: PostingInput & { readonly positionOpeningId: string };
}

function postForOpening({ input }: { input: ForOpeningInput }, context: Context): object {
  const field = 'input.positionProfile.positionOpeningId';
  const opening = requireOpening(input.positionProfile.positionOpeningId, field, context);
  assertHirer(opening.hirerId, context, 'JobPosting');
  const profile = readPosting(input.positionProfile, opening, context);
  const conflict = findRepeated(profile, context);
  if (conflict === undefined) assertRoom(opening, field);
  assertStateful(context);
  const payload = 'PostPositionProfileForOpeningPayload';
  if (conflict !== undefined) {
    return { __typename: `${payload}_Conflict`, conflictingPositionProfile: profileId(conflict) };
  }
  context.ads.post(profile);
  return { __typename: `${payload}_Success`, positionProfile: profileId(profile) };
}

/** The ad that an input describes, without keeping it. */
function readPosting(input: PostingInput, opening: PositionOpening, context: Context): PostedProfile {
  const field = 'input.positionProfile';
  assertOrganization(input.positionOrganizations, opening.hirerId, field);
  return {
    id: context.world.newId('seekAnzPublicTest:positionProfile:jobAd'),
    openingId: opening.id,
    hirerId: opening.hirerId,
    name: null,
    ...readAdContent(input, field, context),
    ad: readAd(input, opening.hirerId, field, context),
  };
}

/** The ad that an earlier call with the same idempotencyId posted. */
function findRepeated({ hirerId, ad }: PostedProfile, { world }: Context): PositionProfile | undefined {
  return [...world.positionProfiles.values()].find(
    (other) =>
      other.hirerId === hirerId &&
      other.ad?.idempotencyId === ad.idempotencyId &&
      // An ad that was not posted may be sent again under the same identifier.
      other.ad.processing !== 'failed',
  );
}

interface UpdateInput {
  readonly positionProfile: PostingInput & { readonly profileId: string };
}

function updatePosted({ input }: { input: UpdateInput }, context: Context): object {
  const change = input.positionProfile;
  const field = 'input.positionProfile';
  const profile = requireOpenAd(change.profileId, `${field}.profileId`, context);
  assertOrganization(change.positionOrganizations, profile.hirerId, field);
  if (change.seekApplicationQuestionnaireId != null) {
    throw invalid(
      `${field}.seekApplicationQuestionnaireId`,
      'must be left out: a live ad keeps its questionnaire',
    );
  }
  const content = readAdContent(change, field, context);
  const adChange = readAdChange(change, profile.hirerId, field, context);
  const path = `${field}.postingInstructions[0]`;
  if ((adChange.applicationUri === null) !== (profile.ad.applicationUri === null)) {
    throw invalid(`${path}.applicationMethods`, 'must not change where people apply');
  }
  const endMs = readEnd(change.postingInstructions[0]?.end, profile.ad.startMs, `${path}.end`, context);
  assertStateful(context);
  Object.assign(profile, content);
  Object.assign(profile.ad, adChange, endMs === undefined ? {} : { endMs });
  if (endMs !== undefined) context.ads.planEnd(profile);
  context.tell('PositionProfileUpdated', {
    hirerId: profile.hirerId,
    members: { positionProfileId: profile.id },
  });
  return { positionProfile: profileId(profile) };
}

interface CloseInput {
  readonly positionProfile: { readonly profileId: string };
}

function close({ input }: { input: CloseInput }, context: Context): object {
  const profile = requireOpenAd(input.positionProfile.profileId, 'input.positionProfile.profileId', context);
  assertStateful(context);
  context.ads.close(profile);
  return { positionProfile: profileId(profile) };
}

/** The answer of the asynchronous mutations: only the identifier. */
function profileId({ id }: PositionProfile): object {
  return { profileId: { value: id } };
}

/** Mutations of ads. */
export const postingMutations: RootFields = {
  postPosition,
  postPositionProfileForOpening: postForOpening,
  updatePostedPositionProfile: updatePosted,
  closePostedPositionProfile: close,
};
