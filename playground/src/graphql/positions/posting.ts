import { AD_PRODUCTS } from '../../data/positions/ad-products.js';
import type {
  Advertisement,
  PositionOpening,
  PositionProfile,
  PostedProfile,
} from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import type {
  CreatePositionOpening_PositionOpeningInput as OpeningInput,
  PostedPositionProfilePreview_PositionProfileInput as PreviewInput,
  PostedPositionProfilePreview_PostingInstructionInput as InstructionInput,
  PostPosition_PositionProfileInput as PostingInput,
  UpdatePostingInstructionInput,
} from '../arguments.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';

/** The part of an ad's input that an update has too, and a preview. */
export type AdInput = Pick<
  PreviewInput,
  'postingInstructions' | 'seekAnzWorkTypeCode' | 'seekApplicationQuestionnaireId' | 'seekVideo'
>;

/** The path of a profile in every input. */
export const FIELD = 'input.positionProfile';
const POSTED_MS_MAX = 30 * 86_400_000;
const PROFILES_PER_OPENING_MAX = 25;
const VIDEO = /^https:\/\/(www\.youtube\.com\/(embed\/|watch\?v=)|youtu\.be\/)[\w-]+$/;

/** The opening that an input describes, without keeping it. */
export function readOpening(input: OpeningInput, context: Context): PositionOpening {
  const { postingRequester, seekPartnerMetadata, statusCode } = input;
  const { id: hirerId, personContacts: contacts } = postingRequester;
  assertHirer(hirerId, context, 'JobPosting', 'ProactiveSourcing');
  return {
    id: context.world.newId('seekAnzPublicTest:positionOpening:seek'),
    hirerId,
    statusCode: statusCode ?? 'Active',
    contacts,
    seekPartnerMetadata,
    profileIds: [],
  };
}

/** An opening that exists and that the partner may change. */
export function requireOpening(id: string, field: string, context: Context): PositionOpening {
  const opening = requireObject(context.world.openings, id, field);
  assertHirer(opening.hirerId, context, 'JobPosting', 'ProactiveSourcing');
  return opening;
}

/** Throws when the opening has as many profiles as it can hold. */
export function assertRoom({ profileIds }: PositionOpening, field: string): void {
  if (profileIds.length < PROFILES_PER_OPENING_MAX) return;
  throw invalid(
    field,
    `must identify an opening with fewer than ${String(PROFILES_PER_OPENING_MAX)} profiles`,
  );
}

/** Throws unless the organization of a profile is the hirer of its opening. */
export function assertOrganization([id]: readonly string[], hirerId: string): void {
  if (id === hirerId) return;
  throw invalid(`${FIELD}.positionOrganizations`, 'must be the hirer of the opening and nobody else');
}

/** The ad that an input describes, without keeping it: its content as it stands. It has not been processed yet. */
function readPosting(input: PostingInput, opening: PositionOpening, context: Context): PostedProfile {
  const { id: openingId, hirerId } = opening;
  assertOrganization(input.positionOrganizations, hirerId);
  const change = readAdChange(input, hirerId, FIELD, context);
  const startMs = context.now();
  const instruction = input.postingInstructions[0]!;
  return {
    ...input,
    id: context.world.newId('seekAnzPublicTest:positionProfile:jobAd'),
    openingId,
    hirerId,
    profileName: null,
    ad: {
      ...change,
      questionnaireId: readQuestionnaireId(input, change, hirerId, FIELD, context),
      workArrangementCodes: [],
      idempotencyId: instruction.idempotencyId,
      createdBySelf: true,
      startMs,
      endMs: readEnd(instruction, startMs, context) ?? startMs + POSTED_MS_MAX,
      processing: 'pending',
    },
  };
}

type AdChange = Pick<
  Advertisement,
  'workTypeCode' | 'seekAnzAdvertisementType' | 'brandingId' | 'applicationUri' | 'video'
>;

/** The parts of an ad that may change while it is live. An address that is not one of a video is ignored, as upstream. */
export function readAdChange(input: AdInput, hirerId: string, field: string, { world }: Context): AdChange {
  const instruction = input.postingInstructions[0]!;
  const { seekAnzWorkTypeCode: workTypeCode, seekVideo: video } = input;
  const path = `${field}.postingInstructions[0]`;
  const { type: seekAnzAdvertisementType, hasBranding } = readProduct(instruction, path);
  const { brandingId, applicationMethods } = instruction;
  if (brandingId !== null && world.brandings.get(brandingId)?.hirerId !== hirerId) {
    throw invalid(`${path}.brandingId`, 'must identify a branding of the hirer');
  }
  const applicationUri = applicationMethods?.[0]?.applicationUri?.url ?? null;
  const mayLinkOut = world.hirers.get(hirerId)?.relationships.includes('JobPosting') === true;
  if (applicationUri !== null && !mayLinkOut) {
    throw invalid(`${path}.applicationMethods`, 'must be empty for this hirer');
  }
  return {
    workTypeCode,
    seekAnzAdvertisementType,
    brandingId: hasBranding ? brandingId : null,
    applicationUri,
    video: video !== null && VIDEO.test(video.url) ? video : null,
  };
}

/** The product of an ad, named by itself, by the type of the ad, or by both if they agree. */
function readProduct(
  { seekAdvertisementProductId: id, seekAnzAdvertisementType: type }: InstructionInput,
  field: string,
): (typeof AD_PRODUCTS)[number] {
  if (id === null && type === null) {
    throw invalid(`${field}.seekAdvertisementProductId`, 'or seekAnzAdvertisementType is required');
  }
  const product = AD_PRODUCTS.find((one) => (id === null ? one.type === type : one.id === id));
  if (product === undefined) {
    throw invalid(`${field}.seekAdvertisementProductId`, 'must be one of the advertisementProducts');
  }
  if (type === null || product.type === type) return product;
  throw invalid(`${field}.seekAnzAdvertisementType`, 'must be that of seekAdvertisementProductId');
}

/** A questionnaire of the hirer itself, for an ad that takes applications on the job board. */
export function readQuestionnaireId(
  { seekApplicationQuestionnaireId: id }: AdInput,
  { applicationUri }: AdChange,
  hirerId: string,
  field: string,
  { world }: Context,
): string | null {
  if (id === null) return null;
  const path = `${field}.seekApplicationQuestionnaireId`;
  if (world.questionnaires.get(id)?.hirerId !== hirerId) {
    throw invalid(path, 'must identify a questionnaire of the hirer');
  }
  if (applicationUri === null) return id;
  throw invalid(path, "must be left out for an ad that leads to the hirer's own form");
}

/** When an ad ends, in the future and at most 30 days after it was posted; undefined if the input does not say. */
export function readEnd(
  { end }: UpdatePostingInstructionInput,
  postedMs: number,
  { now }: Context,
): number | undefined {
  const endMs = end?.getTime();
  if (endMs === undefined) return undefined;
  const field = `${FIELD}.postingInstructions[0].end`;
  if (endMs <= now()) throw invalid(field, 'must be in the future');
  if (endMs > postedMs + POSTED_MS_MAX) throw invalid(field, 'must be at most 30 days after the posting');
  return endMs;
}

/** The ad that an earlier call with the same idempotencyId posted; one that failed may be sent again under it. */
function findRepeated({ hirerId, ad }: PostedProfile, { world }: Context): PositionProfile | undefined {
  return [...world.positionProfiles.values()].find(
    (other) =>
      other.hirerId === hirerId &&
      other.ad?.idempotencyId === ad.idempotencyId &&
      other.ad.processing !== 'failed',
  );
}

/** Posts an ad with its opening, unless it was posted before. */
function post(profile: PostedProfile, opening: PositionOpening, context: Context): object {
  const conflict = findRepeated(profile, context);
  if (conflict !== undefined) {
    return {
      conflictingPositionOpening: { documentId: conflict.openingId },
      conflictingPositionProfile: idOf(conflict),
    };
  }
  context.world.openings.set(opening.id, opening);
  context.ads.post(profile);
  return { positionOpening: { documentId: opening.id }, positionProfile: idOf(profile) };
}

/** The answer of the asynchronous mutations: only the identifier. */
export const idOf = ({ id: profileId }: PositionProfile): object => ({ profileId });

/** Mutations that post ads. */
export const posting: Resolvers = {
  Mutation: {
    postPosition: ({ input }, context) => {
      const opening = readOpening(input.positionOpening, context);
      assertHirer(opening.hirerId, context, 'JobPosting');
      const profile = readPosting(input.positionProfile, opening, context);
      return () => post(profile, opening, context);
    },
    postPositionProfileForOpening: ({ input }, context) => {
      const field = `${FIELD}.positionOpeningId`;
      const opening = requireOpening(input.positionProfile.positionOpeningId, field, context);
      assertHirer(opening.hirerId, context, 'JobPosting');
      const profile = readPosting(input.positionProfile, opening, context);
      if (findRepeated(profile, context) === undefined) assertRoom(opening, field);
      return () => post(profile, opening, context);
    },
  },
};
