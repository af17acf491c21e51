import type { Candidate, CandidateProfile, ProfileKind } from '../../data/candidates/candidate-records.js';
import type { Person } from '../../data/candidates/people.js';
import { makeResume } from '../../data/candidates/resume.js';
import type { RelationshipType } from '../../data/hirers.js';
import type { Attachment } from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { Context, TypeFields } from '../context.js';
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

/** Reads a part of a career, which is empty once the candidate is deleted. */
function career(list: 'certifications' | 'education' | 'employment' | 'qualifications') {
  return (profile: CandidateProfile, _args: unknown, { world }: Context): readonly object[] =>
    world.candidates.get(profile.candidateId)!.isDeleted ? [] : makeResume(profile, world)[list];
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
    profiles: ({ isDeleted, profileIds }: Candidate, { last }: { last: number | null }, { world }) =>
      isDeleted ? [] : profileIds.slice(-(last ?? PROFILES_MAX)).map((id) => world.candidateProfiles.get(id)),
  },
  CandidateProfile: {
    associatedPositionOpenings: openingsOf,
    certifications: career('certifications'),
    education: career('education'),
    employment: career('employment'),
    qualifications: career('qualifications'),
    candidateSources: ({ kind }: CandidateProfile) => [SOURCES[kind]],
    // Null for an application without a recorded step: upstream only uploaded candidates have a history.
    seekProcessHistory: ({ kind, id }: CandidateProfile, _args: unknown, { world }) => {
      const steps = world.stepsOf(id);
      return kind !== 'upload' && steps.length === 0 ? null : steps;
    },
  },
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
    candidate: ({ id }, context) => {
      const candidate = findObject(context.world.candidates, id, context);
      if (candidate === null) return null;
      // One of the profiles must be open.
      const profiles = candidate.profileIds.map((one) => context.world.candidateProfiles.get(one));
      const kinds = profiles.map((profile): ProfileKind => profile?.kind ?? 'upload');
      assertHirer(candidate.hirerId, context, ...new Set(kinds.map((kind) => RELATIONSHIPS[kind])));
      return candidate;
    },
    candidateProfile: ({ id }, context) => {
      const profile = findObject(context.world.candidateProfiles, id, context);
      if (profile !== null) assertProfile(profile, context);
      return profile;
    },
    candidateProcessHistoryItem: ({ id }, context) => {
      const step = findObject(context.world.steps, id, context);
      if (step === null) return null;
      assertProfile(requireObject(context.world.candidateProfiles, step.profileId, 'id'), context);
      return step;
    },
  },
};
