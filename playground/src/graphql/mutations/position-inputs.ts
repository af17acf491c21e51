import { AD_PRODUCTS } from '../../data/ad-products.js';
import { PAY_TYPES } from '../../data/money.js';
import type {
  Contact,
  Description,
  PositionOpening,
  PositionProfile,
  Remuneration,
} from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { requireObject } from '../find-object.js';

/** A contact person as the mutations take one. */
export interface ContactInput {
  readonly name: { readonly formattedName: string };
  readonly roleCode: string;
  readonly communication: {
    readonly email: readonly { readonly address: string }[];
    readonly phone?: readonly { readonly formattedNumber: string }[] | null;
  };
}

/** A position opening as the mutations take one. */
export interface OpeningInput {
  readonly postingRequester: { readonly id: string; readonly personContacts: readonly ContactInput[] };
  readonly seekPartnerMetadata?: string | null;
}

/** A position profile as the mutations take one; posting it needs exactly one posting instruction. */
export interface ProfileInput {
  readonly positionTitle: string;
  readonly positionLocation: readonly string[];
  readonly jobCategories: readonly string[];
  readonly positionOrganizations: readonly string[];
  readonly positionFormattedDescriptions: readonly Description[];
  readonly offeredRemunerationPackage: Omit<Remuneration, 'descriptions'> & {
    readonly descriptions?: readonly string[] | null;
  };
  readonly seekAnzWorkTypeCode?: string | null;
  readonly seekHirerJobReference?: string | null;
  readonly seekBillingReference?: string | null;
  readonly seekPartnerMetadata?: string | null;
  readonly postingInstructions?:
    | readonly {
        readonly seekAdvertisementProductId: string;
        readonly idempotencyId: string;
        readonly end?: Date | null;
      }[]
    | null;
}

const METADATA_CHARACTERS_MAX = 1_000;
const TITLE_CHARACTERS_MAX = 80;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const POSTED_FOR_MS = 30 * 86_400_000;

/** Checks an opening's input and makes the opening, without keeping it. */
export function readOpening(
  { postingRequester, seekPartnerMetadata }: OpeningInput,
  context: Context,
): PositionOpening {
  assertHirer(postingRequester.id, context, 'JobPosting');
  checkMetadata(seekPartnerMetadata);
  return {
    id: context.world.newId('seekAnzPublicTest:positionOpening:seek'),
    hirerId: postingRequester.id,
    statusCode: 'Incomplete',
    contacts: postingRequester.personContacts.map(readContact),
    partnerMetadata: seekPartnerMetadata ?? null,
    profileIds: [],
  };
}

/** The contact that an input describes. */
export function readContact({ name, roleCode, communication }: ContactInput): Contact {
  return {
    name: name.formattedName,
    roleCode,
    emails: communication.email.map(({ address }) => address),
    phones: (communication.phone ?? []).map(({ formattedNumber }) => formattedNumber),
  };
}

/** Throws `BAD_USER_INPUT` for metadata of more than 1,000 characters. */
export function checkMetadata(metadata: string | null | undefined): void {
  if ((metadata?.length ?? 0) > METADATA_CHARACTERS_MAX) {
    throw graphqlError('BAD_USER_INPUT', 'seekPartnerMetadata may have at most 1000 characters.');
  }
}

/** An opening that exists and that the partner may change. */
export function requireOpening(id: string, context: Context): PositionOpening {
  const opening = requireObject(context.world.openings, id, 'documentId');
  assertHirer(opening.hirerId, context, 'JobPosting');
  return opening;
}

/** A profile of one kind that exists and that the partner may change. */
export function requireProfile(id: string, kind: PositionProfile['kind'], context: Context): PositionProfile {
  const profile = requireObject(context.world.positionProfiles, id, 'profileId');
  assertHirer(profile.hirerId, context, 'JobPosting');
  if (profile.kind !== kind) {
    throw graphqlError('BAD_USER_INPUT', `profileId is not the identifier of a profile that is ${kind}.`);
  }
  return profile;
}

/** Throws `BAD_USER_INPUT` for a title that is blank or has more than 80 characters. */
export function checkTitle(title: string): void {
  if (title.trim() === '' || title.length > TITLE_CHARACTERS_MAX) {
    throw graphqlError(
      'BAD_USER_INPUT',
      `positionTitle must have 1 to ${String(TITLE_CHARACTERS_MAX)} characters.`,
    );
  }
}

/** Checks a profile's input and makes the profile, without keeping it. */
export function readProfile(
  input: ProfileInput,
  opening: PositionOpening,
  kind: PositionProfile['kind'],
  context: Context,
): PositionProfile {
  checkProfile(input, opening, context);
  const instruction = kind === 'posted' ? readInstruction(input) : undefined;
  const nowMs = context.now();
  return {
    id: context.world.newId('seekAnzPublicTest:positionProfile:jobAd'),
    openingId: opening.id,
    hirerId: opening.hirerId,
    kind,
    title: input.positionTitle,
    locationIds: input.positionLocation,
    categoryIds: input.jobCategories,
    descriptions: input.positionFormattedDescriptions,
    remuneration: {
      ...input.offeredRemunerationPackage,
      descriptions: input.offeredRemunerationPackage.descriptions ?? [],
    },
    workTypeCode: input.seekAnzWorkTypeCode ?? null,
    workArrangementCodes: [],
    adProductId: instruction?.seekAdvertisementProductId ?? null,
    idempotencyId: instruction?.idempotencyId ?? null,
    questionnaireId: null,
    brandingId: null,
    billingReference: input.seekBillingReference ?? null,
    jobReference: input.seekHirerJobReference ?? null,
    partnerMetadata: input.seekPartnerMetadata ?? null,
    createdBySelf: true,
    startMs: instruction === undefined ? null : nowMs,
    endMs: instruction === undefined ? null : (instruction.end?.getTime() ?? nowMs + POSTED_FOR_MS),
  };
}

function checkProfile(input: ProfileInput, opening: PositionOpening, { world }: Context): void {
  checkTitle(input.positionTitle);
  checkMetadata(input.seekPartnerMetadata);
  const { positionLocation, jobCategories, positionOrganizations, offeredRemunerationPackage } = input;
  if (positionLocation.length === 0 || jobCategories.length === 0) {
    throw graphqlError('BAD_USER_INPUT', 'A position needs a location and a job category.');
  }
  for (const id of positionLocation) requireObject(world.locations, id, 'positionLocation');
  for (const id of jobCategories) requireObject(world.jobCategories, id, 'jobCategories');
  if (positionOrganizations.length !== 1 || positionOrganizations[0] !== opening.hirerId) {
    throw graphqlError(
      'BAD_USER_INPUT',
      'positionOrganizations must hold the hirer of the opening and nothing else.',
    );
  }
  const { basisCode, ranges } = offeredRemunerationPackage;
  for (const { intervalCode } of ranges) {
    if (!PAY_TYPES.some((type) => type.basisCode === basisCode && type.intervalCode === intervalCode)) {
      throw graphqlError(
        'BAD_USER_INPUT',
        'basisCode and intervalCode must be those of one of the payTypes.',
      );
    }
  }
}

function readInstruction({
  postingInstructions,
}: ProfileInput): NonNullable<ProfileInput['postingInstructions']>[number] {
  const [instruction, ...others] = postingInstructions ?? [];
  if (instruction === undefined || others.length > 0) {
    throw graphqlError('BAD_USER_INPUT', 'Posting takes exactly one posting instruction.');
  }
  if (!AD_PRODUCTS.some(({ id }) => id === instruction.seekAdvertisementProductId)) {
    throw graphqlError(
      'BAD_USER_INPUT',
      'seekAdvertisementProductId must be one of the advertisementProducts.',
    );
  }
  if (!UUID_V4.test(instruction.idempotencyId)) {
    throw graphqlError('BAD_USER_INPUT', 'idempotencyId must be a version 4 UUID.');
  }
  return instruction;
}
