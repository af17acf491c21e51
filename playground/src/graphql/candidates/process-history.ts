import type { CandidateProfile, ProcessStep, StepContent } from '../../data/candidates/candidate-records.js';
import type { CandidateProcessHistoryItemInput } from '../arguments.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import { assertProfile } from './candidates.js';

const FIELD = 'input.candidateProcessHistoryItem';

/** The step that an input describes, for a candidate of the hirer. */
export function readStep(
  input: CandidateProcessHistoryItemInput,
  hirerId: string,
  field: string,
  { world }: Context,
): StepContent {
  const { action, actionDate, primaryParties, seekSource, status, positionProfile } = input;
  if (action.code === 'ViewProfile') throw invalid(`${field}.action.code`, 'must be that of a step');
  for (const [index, { person, organization }] of primaryParties.entries()) {
    if (person !== null || organization !== null) continue;
    throw invalid(`${field}.primaryParties[${String(index)}]`, 'must have a person or an organization');
  }
  if (positionProfile !== null && seekSource === null) {
    throw invalid(`${field}.seekSource`, 'is required with positionProfile');
  }
  const position = world.positionProfiles.get(positionProfile?.profileId ?? '');
  // One that is unknown, or of another hirer, counts as none.
  const positionProfileId = position?.hirerId === hirerId ? position.id : null;
  return { action, actionDate, positionProfileId, primaryParties, seekSource, status };
}

/** Keeps a new step of a profile. */
export function addStep(
  profile: CandidateProfile,
  content: StepContent,
  idempotencyId: string | null,
  { world }: Context,
): ProcessStep {
  const id = world.newId('globalPublicTest:candidateProcessHistoryItem:seek');
  const step: ProcessStep = { id, profileId: profile.id, idempotencyId, ...content };
  world.steps.set(id, step);
  return step;
}

/** A profile that exists, whose candidate does too, and that the partner may see. */
function requireProfile(id: string, field: string, context: Context): CandidateProfile {
  const profile = requireObject(context.world.candidateProfiles, id, field);
  assertProfile(profile, context);
  if (context.world.candidates.get(profile.candidateId)?.isDeleted === false) return profile;
  throw invalid(field, 'must identify the profile of a candidate who is not deleted');
}

function requireStep(id: string, context: Context): { step: ProcessStep; profile: CandidateProfile } {
  const step = requireObject(context.world.steps, id, `${FIELD}.id`);
  return { step, profile: requireProfile(step.profileId, `${FIELD}.id`, context) };
}

/** Mutations of the steps of a hiring process. */
export const processHistory: Resolvers = {
  Mutation: {
    createCandidateProcessHistoryItem: ({ input }, context) => {
      const { candidateProcessHistoryItem: wanted, candidateProfile: profile } = input;
      const candidateProfile = requireProfile(profile.profileId, 'input.candidateProfile.profileId', context);
      const content = readStep(wanted, candidateProfile.hirerId, FIELD, context);
      return () => {
        const { idempotencyId } = wanted;
        const repeated = context.world
          .stepsOf(candidateProfile.id)
          .find((step) => step.idempotencyId === idempotencyId);
        return repeated === undefined
          ? {
              candidateProfile,
              candidateProcessHistoryItem: addStep(candidateProfile, content, idempotencyId, context),
            }
          : { candidateProfile, conflictingCandidateProcessHistoryItem: repeated };
      };
    },
    updateCandidateProcessHistoryItem: ({ input }, context) => {
      const { step, profile } = requireStep(input.candidateProcessHistoryItem.id, context);
      const content = readStep(input.candidateProcessHistoryItem, profile.hirerId, FIELD, context);
      return () => ({ candidateProcessHistoryItem: Object.assign(step, content) });
    },
    deleteCandidateProcessHistoryItem: ({ input }, context) => {
      const { step } = requireStep(input.candidateProcessHistoryItem.id, context);
      return () => {
        context.world.steps.delete(step.id);
        return { candidateProcessHistoryItem: step };
      };
    },
  },
};
