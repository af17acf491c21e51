import type {
  Candidate,
  CandidateProfile,
  ProcessStep,
  ProfileKind,
} from '../../data/candidates/candidate-records.js';
import type { Person } from '../../data/candidates/people.js';
import { makeResume } from '../../data/candidates/resume.js';
import type { RelationshipType } from '../../data/hirers/hirers.js';
import type { Attachment } from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { Context, TypeFields } from '../context.js';
import { invalid } from '../errors.js';
import { findObject, requireObject } from '../find-object.js';
import { addressOf } from '../positions/profiles.js';
import type { Resolvers } from '../schema/build-schema.js';

/** The relationship that opens profiles of each kind. */
const RELATIONSHIPS: Readonly<Record<ProfileKind, RelationshipType>> = {
  application: 'ApplicationExport',
  prefill: 'ApplicationPrefill',
  purchase: 'ProactiveSourcing',
  upload: 'ProactiveSourcing',
};

const APPLIED = { type: 'SeekApplication', name: 'Job board' };
const SOURCES: Readonly<Record<ProfileKind, object>> = {
  application: APPLIED,
  prefill: APPLIED,
  purchase: { type: 'SeekPurchase', name: 'Talent search' },
  upload: { type: 'PartnerUpload', name: 'Uploaded by the partner' },
};
const PROFILES_MAX = 10;

/** Reads a field of a profile that is empty once its candidate is deleted. */
function unlessDeleted<T>(otherwise: T, read: (profile: CandidateProfile, context: Context) => T) {
  return (profile: CandidateProfile, _args: unknown, context: Context): T =>
    context.world.candidates.get(profile.candidateId)!.isDeleted ? otherwise : read(profile, context);
}

function career(list: 'certifications' | 'education' | 'employment' | 'qualifications') {
  return unlessDeleted<readonly object[]>([], (profile, { world }) => makeResume(profile, world)[list]);
}

function openingsOf(profile: CandidateProfile, _args: unknown, { world }: Context): object[] {
  const position = world.positionProfiles.get(profile.positionProfileId ?? '');
  const opening = world.openings.get(position?.openingId ?? '');
  if (position === undefined || opening === undefined) return [];
  return [
    {
      candidateAppliedIndicator: profile.kind === 'application',
      positionOpening: opening,
      positionOpeningId: opening.id,
      positionUri: addressOf(position),
    },
  ];
}

const TYPES: TypeFields = {
  Candidate: {
    profiles: (candidate: Candidate, { last }: { last: number | null }, { world }) => {
      const size = last ?? PROFILES_MAX;
      if (size < 1 || size > PROFILES_MAX) throw invalid('last', `must be from 1 to ${String(PROFILES_MAX)}`);
      const ids = candidate.isDeleted ? [] : candidate.profileIds.slice(-size);
      return ids.map((id) => world.candidateProfiles.get(id));
    },
    distributionGuidelines: ({ productCodes }: Candidate) => ({ seekProductCodes: productCodes }),
    seekPrimaryEmailAddress: ({ primaryEmail }: Candidate) => primaryEmail,
  },
  CandidateProfile: {
    associatedPositionOpenings: openingsOf,
    attachments: unlessDeleted<unknown[]>([], ({ attachmentIds }, { world }) =>
      attachmentIds.map((id) => world.attachments.get(id)),
    ),
    certifications: career('certifications'),
    education: career('education'),
    employment: career('employment'),
    qualifications: career('qualifications'),
    positionPreferences: unlessDeleted<readonly object[]>([], ({ preferences }) => preferences),
    candidateSources: ({ kind }: CandidateProfile) => [SOURCES[kind]],
    seekQuestionnaireSubmission: unlessDeleted<object | null>(null, ({ submission }) => submission),
    seekActions: unlessDeleted<readonly object[]>([], ({ actions }) => actions),
    // Null for an application without a recorded step: upstream only uploaded candidates have a history.
    seekProcessHistory: ({ kind, id }: CandidateProfile, _args: unknown, { world }) => {
      const steps = world.stepsOf(id);
      return kind !== 'upload' && steps.length === 0 ? null : steps;
    },
  },
  CandidateProcessHistoryItem: { actionDate: ({ actionDateMs }: ProcessStep) => actionDateMs },
  Communication: { address: ({ address }: Person['communication']) => address ?? [] },
  Attachment: {
    descriptions: ({ fileName }: Attachment) => [fileName],
    url: ({ id, profileId }: Attachment, _args: unknown, { baseUrl }) => {
      const last = (text: string): string => text.slice(text.lastIndexOf(':') + 1);
      return `${baseUrl}/anzPublicTest/applications/${last(profileId)}/attachments/${last(id)}`;
    },
    seekRoleCode: ({ roleCode }: Attachment) => roleCode,
    // The members of the superseded enum: COVER_LETTER for CoverLetter.
    seekRole: ({ roleCode }: Attachment) =>
      roleCode?.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase() ?? null,
  },
};

/** Throws unless the partner may see the profile now. */
export function assertProfile({ hirerId, kind }: CandidateProfile, context: Context): void {
  assertHirer(hirerId, context, RELATIONSHIPS[kind]);
}

/** Candidates, their profiles and their steps in a hiring process, as they are read. */
export const candidates: Resolvers = {
  types: TYPES,
  Query: {
    candidate: ({ id }: { id: string }, context) => {
      const candidate = findObject(context.world.candidates, id, context);
      if (candidate === null) return null;
      // One of the profiles must be open.
      const profiles = candidate.profileIds.map((one) => context.world.candidateProfiles.get(one));
      const kinds = profiles.map((profile): ProfileKind => profile?.kind ?? 'upload');
      assertHirer(candidate.hirerId, context, ...new Set(kinds.map((kind) => RELATIONSHIPS[kind])));
      return candidate;
    },
    candidateProfile: ({ id }: { id: string }, context) => {
      const profile = findObject(context.world.candidateProfiles, id, context);
      if (profile !== null) assertProfile(profile, context);
      return profile;
    },
    candidateProcessHistoryItem: ({ id }: { id: string }, context) => {
      const step = findObject(context.world.steps, id, context);
      if (step === null) return null;
      assertProfile(requireObject(context.world.candidateProfiles, step.profileId, 'id'), context);
      return step;
    },
  },
};
