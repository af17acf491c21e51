import type { Candidate, CandidateProfile, ProfileKind } from '../../data/candidates/candidate-records.js';
import type { RelationshipType } from '../../data/hirers/hirers.js';
import { assertHirer } from '../access.js';
import type { Context, RootFields } from '../context.js';
import { findObject, requireObject } from '../find-object.js';
import { candidateProfileView, candidateView, stepView } from './candidate-views.js';

/** The relationship that opens profiles of each kind. */
const RELATIONSHIPS: Readonly<Record<ProfileKind, RelationshipType>> = {
  application: 'ApplicationExport',
  prefill: 'ApplicationPrefill',
  purchase: 'ProactiveSourcing',
  upload: 'ProactiveSourcing',
};

/** Throws unless the partner may see the profile now. */
export function assertProfile({ hirerId, kind }: CandidateProfile, context: Context): void {
  assertHirer(hirerId, context, RELATIONSHIPS[kind]);
}

/** Throws unless the partner may see at least one profile of the candidate now. */
function assertCandidate({ hirerId, profileIds }: Candidate, context: Context): void {
  const profiles = profileIds.map((id) => context.world.candidateProfiles.get(id));
  const kinds = profiles.map((profile): ProfileKind => profile?.kind ?? 'upload');
  assertHirer(hirerId, context, ...new Set(kinds.map((kind) => RELATIONSHIPS[kind])));
}

/** Queries for candidates, their profiles and their steps in a hiring process. */
export const candidateQueries: RootFields = {
  candidate: ({ id }: { id: string }, context) => {
    const candidate = findObject(context.world.candidates, id, context);
    if (candidate === null) return null;
    assertCandidate(candidate, context);
    return candidateView(candidate);
  },
  candidateProfile: ({ id }: { id: string }, context) => {
    const profile = findObject(context.world.candidateProfiles, id, context);
    if (profile === null) return null;
    assertProfile(profile, context);
    return candidateProfileView(profile);
  },
  candidateProcessHistoryItem: ({ id }: { id: string }, context) => {
    const step = findObject(context.world.steps, id, context);
    if (step === null) return null;
    assertProfile(requireObject(context.world.candidateProfiles, step.profileId, 'id'), context);
    return stepView(step);
  },
};
