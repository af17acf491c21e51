import { AD_PRODUCTS } from '../../data/positions/ad-products.js';
import {
  AD_TYPES,
  type Advertisement,
  type AdType,
  type Video,
} from '../../data/positions/position-records.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { assertCount, assertOneOf, assertText, onlyMember } from '../input-checks.js';
import { assertUrl } from '../web-url.js';
import { WORK_TYPES } from './profile-checks.js';
import type { ProfileInput } from './profile-input.js';

/** CreatePostingInstructionInput of the schema; that of an update has no idempotencyId. */
export interface InstructionInput {
  readonly applicationMethods?:
    readonly { readonly applicationUri?: { readonly url: string } | null }[] | null;
  readonly brandingId?: string | null;
  readonly end?: Date | null;
  readonly idempotencyId?: string;
  readonly seekAdvertisementProductId?: string | null;
  readonly seekAnzAdvertisementType?: string | null;
}

/** The input of a position profile that is advertised. */
export interface AdInput extends ProfileInput {
  readonly postingInstructions: readonly InstructionInput[];
  readonly seekAnzWorkTypeCode?: string | null;
  readonly seekApplicationQuestionnaireId?: string | null;
  readonly seekVideo?: { readonly url: string; readonly seekAnzPositionCode: string } | null;
}

const DAY_MS = 86_400_000;
const POSTED_DAYS_MAX = 30;
const IDEMPOTENCY_CHARACTERS_MAX = 255;

/** The part of an ad that may change while it is live. */
export type AdChange = Pick<
  Advertisement,
  'workTypeCode' | 'adType' | 'brandingId' | 'applicationUri' | 'video'
>;

/** The ad that an input describes, from now on. It has not been processed yet. */
export function readAd(input: AdInput, hirerId: string, field: string, context: Context): Advertisement {
  const path = `${field}.postingInstructions[0]`;
  const { idempotencyId = '', end } = onlyMember(input.postingInstructions, `${field}.postingInstructions`);
  assertText(idempotencyId, IDEMPOTENCY_CHARACTERS_MAX, `${path}.idempotencyId`);
  const change = readAdChange(input, hirerId, field, context);
  const nowMs = context.now();
  return {
    ...change,
    questionnaireId: readQuestionnaireId(input, change, hirerId, field, context),
    workArrangementCodes: [],
    idempotencyId,
    createdBySelf: true,
    startMs: nowMs,
    endMs: readEnd(end, nowMs, `${path}.end`, context) ?? nowMs + POSTED_DAYS_MAX * DAY_MS,
    processing: 'pending',
  };
}

/** Reads the parts of an ad that may change while it is live from an input. */
export function readAdChange(
  input: Pick<AdInput, 'postingInstructions' | 'seekAnzWorkTypeCode' | 'seekVideo'>,
  hirerId: string,
  field: string,
  context: Context,
): AdChange {
  const instruction = onlyMember(input.postingInstructions, `${field}.postingInstructions`);
  const path = `${field}.postingInstructions[0]`;
  const adType = readAdType(instruction, path);
  return {
    workTypeCode: readWorkType(input.seekAnzWorkTypeCode, `${field}.seekAnzWorkTypeCode`),
    adType,
    brandingId: readBrandingId(instruction.brandingId, adType, hirerId, `${path}.brandingId`, context),
    applicationUri: readApplicationUri(instruction, hirerId, `${path}.applicationMethods`, context),
    video: readVideo(input.seekVideo, `${field}.seekVideo`),
  };
}

function readWorkType(code: string | null | undefined, field: string): string {
  if (code == null) throw invalid(field, 'is required');
  assertOneOf(code, WORK_TYPES, field);
  return code;
}

/** The type of an ad, named by its product, by its type, or by both if they agree. */
function readAdType(
  { seekAdvertisementProductId, seekAnzAdvertisementType }: InstructionInput,
  field: string,
): AdType {
  const product = AD_PRODUCTS.find(({ id }) => id === seekAdvertisementProductId);
  if (seekAdvertisementProductId != null && product === undefined) {
    throw invalid(`${field}.seekAdvertisementProductId`, 'must be one of the advertisementProducts');
  }
  const type = seekAnzAdvertisementType ?? product?.type;
  if (type === undefined) {
    throw invalid(`${field}.seekAdvertisementProductId`, 'or seekAnzAdvertisementType is required');
  }
  assertOneOf(type, AD_TYPES, `${field}.seekAnzAdvertisementType`);
  if (product !== undefined && product.type !== type) {
    throw invalid(`${field}.seekAnzAdvertisementType`, 'must be that of seekAdvertisementProductId');
  }
  return type as AdType;
}

/** A branding of the hirer itself; ignored for a product without branding. */
function readBrandingId(
  id: string | null | undefined,
  adType: AdType,
  hirerId: string,
  field: string,
  { world }: Context,
): string | null {
  if (id == null) return null;
  if (world.brandings.get(id)?.hirerId !== hirerId) {
    throw invalid(field, 'must identify a branding of the hirer');
  }
  return AD_PRODUCTS.find(({ type }) => type === adType)?.hasBranding === true ? id : null;
}

function readApplicationUri(
  { applicationMethods }: InstructionInput,
  hirerId: string,
  field: string,
  { world }: Context,
): string | null {
  assertCount(applicationMethods, 0, 1, field);
  const url = applicationMethods?.[0]?.applicationUri?.url;
  if (url === undefined) return null;
  assertUrl(url, `${field}[0].applicationUri.url`);
  const mayLinkOut = world.hirers.get(hirerId)?.relationships.includes('JobPosting') ?? false;
  if (!mayLinkOut) throw invalid(field, 'must be empty for this hirer');
  return url;
}

/** A questionnaire of the hirer itself, for an ad that takes applications on the job board. */
export function readQuestionnaireId(
  { seekApplicationQuestionnaireId: id }: Pick<AdInput, 'seekApplicationQuestionnaireId'>,
  { applicationUri }: AdChange,
  hirerId: string,
  field: string,
  { world }: Context,
): string | null {
  if (id == null) return null;
  const path = `${field}.seekApplicationQuestionnaireId`;
  if (world.questionnaires.get(id)?.hirerId !== hirerId) {
    throw invalid(path, 'must identify a questionnaire of the hirer');
  }
  if (applicationUri !== null) {
    throw invalid(path, "must be left out for an ad that leads to the hirer's own form");
  }
  return id;
}

const VIDEO = /^https:\/\/(www\.youtube\.com\/(embed\/|watch\?v=)|youtu\.be\/)[\w-]+$/;

/** An address that is not one of a video is ignored, as upstream. */
function readVideo(input: AdInput['seekVideo'], field: string): Video | null {
  if (input == null) return null;
  assertOneOf(input.seekAnzPositionCode, ['Above', 'Below'], `${field}.seekAnzPositionCode`);
  return VIDEO.test(input.url) ? { url: input.url, positionCode: input.seekAnzPositionCode } : null;
}

/** When an ad ends, in the future and at most 30 days after it was posted; undefined if the input does not say. */
export function readEnd(
  end: Date | null | undefined,
  postedMs: number,
  field: string,
  { now }: Context,
): number | undefined {
  if (end == null) return undefined;
  const endMs = end.getTime();
  if (endMs <= now()) throw invalid(field, 'must be in the future');
  if (endMs > postedMs + POSTED_DAYS_MAX * DAY_MS) {
    throw invalid(field, `must be at most ${String(POSTED_DAYS_MAX)} days after the posting`);
  }
  return endMs;
}
