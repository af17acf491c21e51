import type {
  Candidate,
  CandidateProfile,
  ProcessStep,
  ProfileKind,
} from '../../data/candidates/candidate-records.js';
import { isPosted, type PositionProfile } from '../../data/positions/position-records.js';
import type { World } from '../../data/world.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireEach, requireObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import { adAddress, openingView, positionProfileView } from '../positions/position-views.js';
import { submissionView } from '../questionnaires/questionnaire-views.js';
import { attachmentView } from './attachment-views.js';
import { careerViews, type CareerViews } from './career-views.js';

const PROFILES_MAX = 10;

/** Candidate of the schema. */
export function candidateView(candidate: Candidate): object {
  return {
    documentId: { value: candidate.id },
    person: candidate.person,
    profiles: ({ last }: { last?: number | null }, { world }: Context) => {
      const size = last ?? PROFILES_MAX;
      if (size < 1 || size > PROFILES_MAX) throw invalid('last', `must be from 1 to ${String(PROFILES_MAX)}`);
      const ids = candidate.isDeleted ? [] : candidate.profileIds.slice(-size);
      return requireEach(world.candidateProfiles, ids, 'profiles').map(candidateProfileView);
    },
    distributionGuidelines: { seekProductCodes: candidate.productCodes },
    seekPrimaryEmailAddress: candidate.primaryEmail,
  };
}

/** CandidateProfile of the schema; its lists are empty once the candidate is deleted. */
export function candidateProfileView(profile: CandidateProfile): object {
  const candidateOf = ({ world }: Context): Candidate =>
    requireObject(world.candidates, profile.candidateId, 'candidate');
  const unlessDeleted =
    <T>(otherwise: T, read: (context: Context) => T) =>
    (_args: unknown, context: Context): T =>
      candidateOf(context).isDeleted ? otherwise : read(context);
  const career = ({ world }: Context): CareerViews => careerViews(profile, world);
  return {
    profileId: { value: profile.id },
    candidate: (_args: unknown, context: Context) => candidateView(candidateOf(context)),
    associatedPositionProfile: (_args: unknown, { world }: Context) => {
      const position = world.positionProfiles.get(profile.positionProfileId ?? '');
      return position === undefined ? null : positionProfileView(position);
    },
    associatedPositionOpenings: (_args: unknown, context: Context) => openingsOf(profile, context),
    attachments: unlessDeleted<object[]>([], (context) =>
      requireEach(context.world.attachments, profile.attachmentIds, 'attachments').map((attachment) =>
        attachmentView(attachment, context),
      ),
    ),
    certifications: unlessDeleted<object[]>([], (context) => career(context).certifications),
    education: unlessDeleted<object[]>([], (context) => career(context).education),
    employment: unlessDeleted<object[]>([], (context) => career(context).employment),
    qualifications: unlessDeleted<object[]>([], (context) => career(context).qualifications),
    positionPreferences: unlessDeleted<readonly object[]>([], () => profile.preferences),
    candidateSources: [SOURCES[profile.kind]],
    seekQuestionnaireSubmission: unlessDeleted<object | null>(null, ({ world }) => {
      const questionnaire = world.questionnaires.get(profile.submission?.questionnaireId ?? '');
      if (profile.submission === null || questionnaire === undefined) return null;
      return submissionView(profile.submission, questionnaire);
    }),
    seekActions: unlessDeleted<readonly object[]>([], () => profile.actions),
    seekProcessHistory: (page: PageArgs, { world }: Context) => pageOfSteps(profile, page, world),
    createDateTime: new Date(profile.createdMs).toISOString(),
    updateDateTime: new Date(profile.updatedMs).toISOString(),
  };
}

/** Null for an application without a recorded step: upstream only uploaded candidates have a history. */
function pageOfSteps({ kind, id: profileId }: CandidateProfile, page: PageArgs, world: World): object | null {
  const steps = world.stepsOf(profileId);
  if (kind !== 'upload' && steps.length === 0) return null;
  return pageOf(steps, page, { list: 'processHistory', sizeMax: 20, keyOf: ({ id }) => id, node: stepView });
}

/** CandidateProcessHistoryItem of the schema. */
export function stepView(step: ProcessStep): object {
  const { id, action, actionDateMs, positionProfileId, primaryParties, seekSource, status } = step;
  return {
    id: { value: id },
    action,
    actionDate: new Date(actionDateMs).toISOString(),
    candidateProfile: (_args: unknown, { world }: Context) =>
      candidateProfileView(requireObject(world.candidateProfiles, step.profileId, 'candidateProfile')),
    positionProfile: (_args: unknown, { world }: Context) => {
      const position = world.positionProfiles.get(positionProfileId ?? '');
      return position === undefined ? null : positionProfileView(position);
    },
    primaryParties,
    seekSource,
    status,
  };
}

const APPLIED = { type: 'SeekApplication', name: 'Job board' };
const SOURCES: Readonly<Record<ProfileKind, object>> = {
  application: APPLIED,
  prefill: APPLIED,
  purchase: { type: 'SeekPurchase', name: 'Talent search' },
  upload: { type: 'PartnerUpload', name: 'Uploaded by the partner' },
};

function openingsOf(profile: CandidateProfile, { world }: Context): object[] {
  const position = world.positionProfiles.get(profile.positionProfileId ?? '');
  const opening = world.openings.get(position?.openingId ?? '');
  if (position === undefined || opening === undefined) return [];
  return [
    {
      candidateAppliedIndicator: profile.kind === 'application',
      positionOpening: openingView(opening),
      positionOpeningId: { value: opening.id },
      positionUri: addressOf(position),
    },
  ];
}

function addressOf(position: PositionProfile): string {
  return isPosted(position) ? adAddress(position.id) : position.id;
}
