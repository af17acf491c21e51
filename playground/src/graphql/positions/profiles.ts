import { productOf } from '../../data/positions/ad-products.js';
import {
  isPosted,
  type Advertisement,
  type PositionOpening,
  type PositionProfile,
  type PostedProfile,
  type Remuneration,
} from '../../data/positions/position-records.js';
import { requireLiveAd } from '../advertising.js';
import { assertHirer, tokenOf } from '../access.js';
import type { Query_postedPositionProfilePreview } from '../arguments.js';
import type { Context, TypeFields } from '../context.js';
import { graphqlError } from '../errors.js';
import { findObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import { readAdChange, readQuestionnaireId } from './posting.js';

type PayRange = Remuneration['ranges'][number];
type Instruction = Advertisement & Pick<PositionProfile, 'hirerId'>;

const JOB_BOARD = 'https://jobs.playground.example/job';

/** The address of an ad on the job board; for an unposted profile, its identifier. */
export function addressOf(profile: PositionProfile): string {
  const { id } = profile;
  return profile.ad === null ? id : `${JOB_BOARD}/${id.slice(id.lastIndexOf(':') + 1)}`;
}

/** The profiles of an opening, the newest first, without ads that are not processed yet. */
function readableProfiles(
  { profileIds }: PositionOpening,
  _args: unknown,
  { world }: Context,
): PositionProfile[] {
  return profileIds
    .toReversed()
    .map((id) => world.positionProfiles.get(id)!)
    .filter(isReadable);
}

/** True if a profile can be read: an ad cannot until it is processed. */
function isReadable(profile: PositionProfile): boolean {
  return profile.ad === null || isPosted(profile);
}

const typeNameOf = ({ ad }: PositionProfile): string =>
  ad === null ? 'UnpostedPositionProfile' : 'PostedPositionProfile';

const TYPES: TypeFields = {
  PositionOpening: {
    postingRequester: ({ hirerId, contacts }: PositionOpening, _args: unknown, { world }) => {
      const { id, name, advertiserId: seekAnzAdvertiserId } = world.hirers.get(hirerId)!;
      return { id, name, seekAnzAdvertiserId, roleCode: 'Company', personContacts: contacts };
    },
    paginatedPositionProfiles: readableProfiles,
    positionProfiles: readableProfiles,
  },
  PositionProfile: { __typename: typeNameOf },
  UnpostedPositionProfile: {
    positionUri: addressOf,
    postingInstructions: () => [],
    seekCreatedBySelfIndicator: () => true,
    seekTypeCode: typeNameOf,
  },
  PostedPositionProfile: {
    positionUri: addressOf,
    postingInstructions: ({ ad, hirerId }: PostedProfile): Instruction[] => [{ ...ad, hirerId }],
    seekAnzWorkTypeCode: ({ ad }: PostedProfile) => ad.workTypeCode,
    seekWorkArrangementCodes: ({ ad }: PostedProfile) => ad.workArrangementCodes,
    seekApplicationUri: (profile: PostedProfile) =>
      profile.ad.applicationUri === null ? { url: `${addressOf(profile)}/apply` } : null,
    seekCreatedBySelfIndicator: ({ ad }: PostedProfile) => ad.createdBySelf,
    seekPostingSourceCode: ({ ad }: PostedProfile) => (ad.createdBySelf ? 'Partner' : 'SeekEmployerSite'),
    seekTypeCode: typeNameOf,
    seekVideo: ({ ad }: PostedProfile) => ad.video,
  },
  PostingInstruction: {
    applicationMethods: ({ applicationUri: url }: Instruction) =>
      url === null ? [] : [{ applicationEmail: null, applicationUri: { url } }],
    seekAdvertisementProduct: ({ seekAnzAdvertisementType }: Instruction) =>
      productOf(seekAnzAdvertisementType),
    branding: ({ hirerId, brandingId }: Instruction, _args: unknown, context) => {
      assertHirer(hirerId, context, 'JobPosting');
      return context.world.brandings.get(brandingId ?? '') ?? null;
    },
  },
  RemunerationRange: {
    maximumAmount: ({ minimumAmount, maximumAmount }: PayRange) => maximumAmount ?? minimumAmount,
  },
};

/** The address of a page that shows an ad before it is posted; every part that is given must be valid. */
function previewPosition(
  { positionProfile: input }: Query_postedPositionProfilePreview,
  context: Context,
): object {
  const field = 'positionProfile';
  const hirerId = input.positionOrganizations[0]!;
  const change = readAdChange(input, hirerId, field, context);
  readQuestionnaireId(input, change, hirerId, field, context);
  if (input.profileId !== null) requireLiveAd(input.profileId, hirerId, `${field}.profileId`, context);
  return {
    previewUri: { url: `https://previews.playground.example/${encodeURIComponent(input.positionTitle)}` },
  };
}

/** Openings and profiles, as they are read. */
export const profiles: Resolvers = {
  types: TYPES,
  Query: {
    positionProfile: ({ id }, context) => {
      const profile = findObject(context.world.positionProfiles, id, context);
      if (profile === null) return null;
      assertHirer(profile.hirerId, context);
      if (profile.ad === null && tokenOf(context).kind === 'browser') {
        throw graphqlError('FORBIDDEN', 'Browser tokens can only read posted profiles.');
      }
      return isReadable(profile) ? profile : null;
    },
    postedPositionProfilePreview: previewPosition,
  },
};
