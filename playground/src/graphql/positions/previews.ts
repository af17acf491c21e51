import type { Amount, Description } from '../../data/positions/position-records.js';
import type { Context } from '../context.js';
import { assertCount, assertText, onlyMember } from '../input-checks.js';
import { requireLiveAd } from '../advertising/product-offers.js';
import { readAdChange, readQuestionnaireId, type AdInput } from './ad-input.js';
import {
  checkDescriptions,
  readRemuneration,
  requireCategory,
  requireLocation,
  TITLE_CHARACTERS_MAX,
} from './profile-checks.js';

/** PostedPositionProfilePreview_PositionProfileInput of the schema: an ad as far as it is known. */
interface PreviewInput extends Pick<
  AdInput,
  'postingInstructions' | 'seekVideo' | 'seekApplicationQuestionnaireId'
> {
  readonly positionTitle: string;
  readonly positionOrganizations: readonly string[];
  readonly positionLocation?: readonly string[] | null;
  readonly jobCategories?: readonly string[] | null;
  readonly positionFormattedDescriptions?: readonly Description[] | null;
  readonly offeredRemunerationPackage: {
    readonly basisCode?: string | null;
    readonly descriptions: readonly string[];
    readonly ranges?:
      readonly { intervalCode: string; minimumAmount: Amount; maximumAmount?: Amount | null }[] | null;
  };
  readonly seekAnzWorkTypeCode: string;
  readonly profileId?: string | null;
}

/** The address of a page that shows an ad before it is posted; every part that is given must be valid. */
export function previewPosition(
  { positionProfile: input }: { positionProfile: PreviewInput },
  context: Context,
): object {
  const field = 'positionProfile';
  const hirerId = onlyMember(input.positionOrganizations, `${field}.positionOrganizations`);
  assertText(input.positionTitle, TITLE_CHARACTERS_MAX, `${field}.positionTitle`);
  assertCount(input.positionLocation, 0, 1, `${field}.positionLocation`);
  for (const id of input.positionLocation ?? []) requireLocation(id, `${field}.positionLocation[0]`, context);
  assertCount(input.jobCategories, 0, 1, `${field}.jobCategories`);
  for (const id of input.jobCategories ?? []) requireCategory(id, `${field}.jobCategories[0]`, context);
  checkDescriptions(input.positionFormattedDescriptions ?? [], `${field}.positionFormattedDescriptions`);
  const { basisCode, ranges, descriptions } = input.offeredRemunerationPackage;
  if (basisCode != null && ranges != null) {
    readRemuneration({ basisCode, ranges, descriptions }, 1, `${field}.offeredRemunerationPackage`);
  }
  const change = readAdChange(input, hirerId, field, context);
  readQuestionnaireId(input, change, hirerId, field, context);
  if (input.profileId != null) requireLiveAd(input.profileId, hirerId, `${field}.profileId`, context);
  return {
    previewUri: { url: `https://previews.playground.example/${encodeURIComponent(input.positionTitle)}` },
  };
}
