import type { PositionOpening, PositionProfile } from '../../data/records.js';
import { assertHirer, tokenOf } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { findObject, requireObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import type { RootFields } from '../root-fields.js';
import { brandingView, questionnaireView } from './advertising-views.js';
import { jobCategoryView, locationView, assertOneOf } from './ontology-views.js';
import { hirerView } from './organization-views.js';

/** PositionOpening of the schema. */
export function openingView(opening: PositionOpening): object {
  const profiles = ({ world }: Context): PositionProfile[] =>
    opening.profileIds.map((id) => requireObject(world.positionProfiles, id, 'positionProfile'));
  return {
    documentId: { value: opening.id },
    statusCode: opening.statusCode,
    postingRequester: (_args: unknown, { world }: Context) => ({
      id: { value: opening.hirerId },
      name: world.hirers.get(opening.hirerId)?.name,
      roleCode: 'Company',
      personContacts: opening.contacts.map(({ name, roleCode, emails, phones }) => ({
        name: { formattedName: name },
        roleCode,
        communication: communicationView(emails, phones),
      })),
    }),
    paginatedPositionProfiles: (page: PageArgs, context: Context) =>
      pageOf(profiles(context), page, { sizeMax: 50, keyOf: ({ id }) => id, node: positionProfileView }),
    positionProfiles: (_args: unknown, context: Context) => profiles(context).map(positionProfileView),
    seekPartnerMetadata: opening.partnerMetadata,
  };
}

/** Communication of the schema. */
export function communicationView(
  emails: readonly string[],
  phones: readonly string[],
  countryCode?: string,
): object {
  return {
    email: emails.map((address) => ({ address })),
    phone: phones.map((formattedNumber) => ({ formattedNumber })),
    address: countryCode === undefined ? [] : [{ countryCode }],
  };
}

/** PostedPositionProfile or UnpostedPositionProfile of the schema. */
export function positionProfileView(profile: PositionProfile): object {
  const isPosted = profile.kind === 'posted';
  return {
    __typename: isPosted ? 'PostedPositionProfile' : 'UnpostedPositionProfile',
    profileId: { value: profile.id },
    positionTitle: profile.title,
    positionLocation: (_args: unknown, { world }: Context) =>
      profile.locationIds.map((id) => locationView(requireObject(world.locations, id, 'location'))),
    jobCategories: (_args: unknown, { world }: Context) =>
      profile.categoryIds.map((id) => jobCategoryView(requireObject(world.jobCategories, id, 'jobCategory'))),
    positionOrganizations: (_args: unknown, { world }: Context) => [
      hirerView(requireObject(world.hirers, profile.hirerId, 'hirer')),
    ],
    positionOpening: (_args: unknown, { world }: Context) =>
      openingView(requireObject(world.openings, profile.openingId, 'opening')),
    positionFormattedDescriptions: profile.descriptions,
    offeredRemunerationPackage: profile.remuneration,
    seekAnzWorkTypeCode: profile.workTypeCode,
    seekHirerJobReference: profile.jobReference,
    seekPartnerMetadata: profile.partnerMetadata,
    ...(isPosted ? postedMembers(profile) : { profileOwnershipCode: 'Partner' }),
  };
}

function postedMembers(profile: PositionProfile): object {
  const { questionnaireId, brandingId } = profile;
  return {
    positionUri: `https://jobs.playground.example/job/${profile.id.slice(profile.id.lastIndexOf(':') + 1)}`,
    postingInstructions: [
      {
        start: isoOrNull(profile.startMs),
        end: isoOrNull(profile.endMs),
        seekAdvertisementProductId: profile.adProductId === null ? null : { value: profile.adProductId },
        idempotencyId: profile.idempotencyId,
      },
    ],
    seekTypeCode: 'DIRECT',
    seekWorkArrangementCodes: profile.workArrangementCodes,
    seekApplicationQuestionnaire: (_args: unknown, { world }: Context) =>
      questionnaireId === null
        ? null
        : questionnaireView(requireObject(world.questionnaires, questionnaireId, 'id')),
    branding: (_args: unknown, context: Context) => {
      assertHirer(profile.hirerId, context, 'JobPosting');
      return brandingId === null
        ? null
        : brandingView(requireObject(context.world.brandings, brandingId, 'id'));
    },
    seekBillingReference: profile.billingReference,
    seekCreatedBySelfIndicator: profile.createdBySelf,
    seekPostingSourceCode: profile.createdBySelf ? 'Partner' : 'SeekEmployerSite',
    seekVideo: null,
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

interface OpeningsArgs extends PageArgs {
  readonly hirerId: string;
  readonly filter?: { readonly statusCode?: string | null } | null;
}

function listOpenings({ hirerId, filter, ...page }: OpeningsArgs, context: Context): object {
  assertHirer(hirerId, context, 'JobPosting');
  const status = filter?.statusCode;
  if (status != null) assertOneOf(status, ['Incomplete', 'Active', 'Closed'], 'statusCode');
  const own = [...context.world.openings.values()]
    .filter((opening) => opening.hirerId === hirerId && (status == null || opening.statusCode === status))
    .reverse();
  return pageOf(own, page, { sizeMax: 20, keyOf: ({ id }) => id, node: openingView });
}

/** Queries for position openings and profiles. */
export const positionQueries: RootFields = {
  positionOpening: ({ id }: { id: string }, context) => {
    const opening = findObject(context.world.openings, id, context);
    if (opening === null) return null;
    assertHirer(opening.hirerId, context, 'JobPosting');
    return openingView(opening);
  },
  positionOpenings: listOpenings,
  positionProfile: ({ id }: { id: string }, context) => {
    const profile = findObject(context.world.positionProfiles, id, context);
    if (profile === null) return null;
    assertHirer(profile.hirerId, context);
    if (profile.kind === 'unposted' && tokenOf(context).kind === 'browser') {
      throw graphqlError('FORBIDDEN', 'Browser tokens can only read posted profiles.');
    }
    return positionProfileView(profile);
  },
};
