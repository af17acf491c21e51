import type { Description, ProfileContent } from '../../data/positions/position-records.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireEach } from '../find-object.js';
import { assertCount, assertEachOneOf, assertLength, assertText, onlyMember } from '../input-checks.js';
import {
  checkAdDescriptions,
  checkDescriptions,
  readRemuneration,
  requireCategory,
  requireLocation,
  SCHEDULE_TYPES,
  TITLE_CHARACTERS_MAX,
  type RemunerationInput,
} from './profile-checks.js';

/** The members that the inputs of all position profiles have in common. */
export interface ProfileInput {
  readonly positionTitle: string;
  readonly positionLocation: readonly string[];
  readonly jobCategories: readonly string[];
  readonly positionFormattedDescriptions: readonly Description[];
  readonly offeredRemunerationPackage: RemunerationInput;
  readonly positionScheduleTypeCodes?: readonly string[] | null;
  readonly seekBillingReference?: string | null;
  readonly seekHirerJobReference?: string | null;
  readonly seekPartnerMetadata?: string | null;
}

const REFERENCE_CHARACTERS_MAX = 40;
const METADATA_CHARACTERS_MAX = 1_000;
const UNPOSTED_MEMBERS_MAX = 10;

/** The content of an ad: one location, one category without children, one range of pay. */
export function readAdContent(input: ProfileInput, field: string, context: Context): ProfileContent {
  checkCommon(input, field);
  requireLocation(
    onlyMember(input.positionLocation, `${field}.positionLocation`),
    `${field}.positionLocation[0]`,
    context,
  );
  requireCategory(
    onlyMember(input.jobCategories, `${field}.jobCategories`),
    `${field}.jobCategories[0]`,
    context,
  );
  checkAdDescriptions(input.positionFormattedDescriptions, `${field}.positionFormattedDescriptions`);
  if (input.positionScheduleTypeCodes != null) {
    throw invalid(`${field}.positionScheduleTypeCodes`, 'must be left out for an ad');
  }
  return contentOf(input, 1, field);
}

/** The content of a profile for internal use, which may have several locations and categories. */
export function readUnpostedContent(input: ProfileInput, field: string, { world }: Context): ProfileContent {
  checkCommon(input, field);
  assertCount(input.positionLocation, 0, UNPOSTED_MEMBERS_MAX, `${field}.positionLocation`);
  requireEach(world.locations, input.positionLocation, `${field}.positionLocation`);
  assertCount(input.jobCategories, 0, UNPOSTED_MEMBERS_MAX, `${field}.jobCategories`);
  requireEach(world.jobCategories, input.jobCategories, `${field}.jobCategories`);
  const { positionFormattedDescriptions } = input;
  assertCount(
    positionFormattedDescriptions,
    0,
    UNPOSTED_MEMBERS_MAX,
    `${field}.positionFormattedDescriptions`,
  );
  checkDescriptions(positionFormattedDescriptions, `${field}.positionFormattedDescriptions`);
  assertEachOneOf(input.positionScheduleTypeCodes, SCHEDULE_TYPES, `${field}.positionScheduleTypeCodes`);
  return contentOf(input, UNPOSTED_MEMBERS_MAX, field);
}

function checkCommon(input: ProfileInput, field: string): void {
  assertText(input.positionTitle, TITLE_CHARACTERS_MAX, `${field}.positionTitle`);
  assertLength(input.seekBillingReference, REFERENCE_CHARACTERS_MAX, `${field}.seekBillingReference`);
  assertLength(input.seekHirerJobReference, REFERENCE_CHARACTERS_MAX, `${field}.seekHirerJobReference`);
  checkMetadata(input.seekPartnerMetadata, field);
}

/** Throws for metadata of more than 1,000 characters. */
export function checkMetadata(metadata: string | null | undefined, field: string): void {
  assertLength(metadata, METADATA_CHARACTERS_MAX, `${field}.seekPartnerMetadata`);
}

function contentOf(input: ProfileInput, rangesMax: number, field: string): ProfileContent {
  return {
    title: input.positionTitle,
    locationIds: input.positionLocation,
    categoryIds: input.jobCategories,
    descriptions: input.positionFormattedDescriptions,
    remuneration: readRemuneration(
      input.offeredRemunerationPackage,
      rangesMax,
      `${field}.offeredRemunerationPackage`,
    ),
    scheduleTypeCodes: input.positionScheduleTypeCodes ?? null,
    billingReference: input.seekBillingReference ?? null,
    jobReference: input.seekHirerJobReference ?? null,
    partnerMetadata: input.seekPartnerMetadata ?? null,
  };
}
