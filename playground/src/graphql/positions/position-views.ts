import { productOf } from '../../data/positions/ad-products.js';
import {
  isPosted,
  type PositionOpening,
  type PositionProfile,
  type PostedProfile,
} from '../../data/positions/position-records.js';
import { brandingView } from '../advertising/branding-views.js';
import { assertHirer } from '../access.js';
import { textOf, type Context } from '../context.js';
import { requireEach, requireObject } from '../find-object.js';
import { jobCategoryView } from '../ontologies/category-views.js';
import { locationView } from '../ontologies/location-views.js';
import { hirerView } from '../organizations/organization-views.js';
import { pageOf, type PageArgs } from '../paging.js';
import { questionnaireView } from '../questionnaires/questionnaire-views.js';

const JOB_BOARD = 'https://jobs.playground.example/job';

/** PositionOpening of the schema. */
export function openingView(opening: PositionOpening): object {
  return {
    documentId: { value: opening.id },
    statusCode: opening.statusCode,
    postingRequester: (_args: unknown, { world }: Context) => {
      const hirer = requireObject(world.hirers, opening.hirerId, 'hirer');
      return {
        id: { value: hirer.id },
        name: hirer.name,
        seekAnzAdvertiserId: hirer.advertiserId,
        roleCode: 'Company',
        personContacts: opening.contacts,
      };
    },
    paginatedPositionProfiles: (page: PageArgs, context: Context) =>
      pageOf(readableProfiles(opening, context), page, {
        list: 'positionProfiles',
        sizeMax: 50,
        keyOf: ({ id }) => id,
        node: positionProfileView,
      }),
    positionProfiles: (_args: unknown, context: Context) =>
      readableProfiles(opening, context).map(positionProfileView),
    seekPartnerMetadata: opening.partnerMetadata,
  };
}

/** The profiles of an opening, the newest first, without ads that are not processed yet. */
function readableProfiles({ profileIds }: PositionOpening, { world }: Context): PositionProfile[] {
  return requireEach(world.positionProfiles, profileIds.toReversed(), 'positionProfiles').filter(isReadable);
}

/** True if a profile can be read: an ad cannot until it is processed. */
export function isReadable(profile: PositionProfile): boolean {
  return profile.ad === null || isPosted(profile);
}

/** PostedPositionProfile or UnpostedPositionProfile of the schema. */
export function positionProfileView(profile: PositionProfile): object {
  const typeName = profile.ad === null ? 'UnpostedPositionProfile' : 'PostedPositionProfile';
  return {
    __typename: typeName,
    profileId: { value: profile.id },
    positionTitle: profile.title,
    positionLocation: (_args: unknown, { world }: Context) =>
      requireEach(world.locations, profile.locationIds, 'positionLocation').map(locationView),
    jobCategories: (_args: unknown, { world }: Context) =>
      requireEach(world.jobCategories, profile.categoryIds, 'jobCategories').map(jobCategoryView),
    positionOrganizations: (_args: unknown, { world }: Context) => [
      hirerView(requireObject(world.hirers, profile.hirerId, 'positionOrganizations')),
    ],
    positionOpening: (_args: unknown, { world }: Context) =>
      openingView(requireObject(world.openings, profile.openingId, 'positionOpening')),
    positionFormattedDescriptions: profile.descriptions.map(({ descriptionId, content }) => ({
      descriptionId: { value: descriptionId },
      content,
    })),
    offeredRemunerationPackage: profile.remuneration,
    positionScheduleTypeCodes: profile.scheduleTypeCodes,
    seekBillingReference: profile.billingReference,
    seekHirerJobReference: profile.jobReference,
    seekPartnerMetadata: profile.partnerMetadata,
    seekTypeCode: typeName,
    ...(profile.ad === null ? unpostedMembers(profile) : postedMembers({ ...profile, ad: profile.ad })),
  };
}

function unpostedMembers({ id, name }: PositionProfile): object {
  return {
    profileName: name,
    positionUri: id,
    postingInstructions: [],
    seekCreatedBySelfIndicator: true,
  };
}

/** The last part of an identifier, which addresses are made of. */
function suffixOf(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}

/** The address of an ad on the job board. */
export function adAddress(id: string): string {
  return `${JOB_BOARD}/${suffixOf(id)}`;
}

function postedMembers(profile: PostedProfile): object {
  const { id, ad } = profile;
  return {
    positionUri: adAddress(id),
    postingInstructions: [instructionView(profile)],
    seekAnzWorkTypeCode: ad.workTypeCode,
    seekWorkArrangementCodes: ad.workArrangementCodes,
    seekApplicationQuestionnaire: (_args: unknown, { world }: Context) => {
      const questionnaire = world.questionnaires.get(ad.questionnaireId ?? '');
      return questionnaire === undefined ? null : questionnaireView(questionnaire);
    },
    seekApplicationUri: ad.applicationUri === null ? { url: `${adAddress(id)}/apply` } : null,
    seekCreatedBySelfIndicator: ad.createdBySelf,
    seekPostingSourceCode: ad.createdBySelf ? 'Partner' : 'SeekEmployerSite',
    seekVideo: ad.video === null ? null : { url: ad.video.url, seekAnzPositionCode: ad.video.positionCode },
  };
}

/** PostingInstruction of the schema. */
function instructionView({ hirerId, ad }: PostedProfile): object {
  return {
    start: new Date(ad.startMs).toISOString(),
    end: new Date(ad.endMs).toISOString(),
    applicationMethods:
      ad.applicationUri === null
        ? []
        : [{ applicationEmail: null, applicationUri: { url: ad.applicationUri } }],
    seekAnzAdvertisementType: ad.adType,
    seekAdvertisementProduct: {
      label: (_args: unknown, context: Context) => textOf(productOf(ad.adType).label, context),
    },
    brandingId: ad.brandingId,
    branding: (_args: unknown, context: Context) => {
      assertHirer(hirerId, context, 'JobPosting');
      const branding = context.world.brandings.get(ad.brandingId ?? '');
      return branding === undefined ? null : brandingView(branding);
    },
  };
}
