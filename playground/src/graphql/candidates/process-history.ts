import type { CandidateProfile, ProcessStep, StepContent } from '../../data/candidates/candidate-records.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import { assertText } from '../input-checks.js';
import { assertProfile } from './candidate-queries.js';
import { candidateProfileView, stepView } from './candidate-views.js';
import { readStep, type StepInput } from './step-inputs.js';

const FIELD = 'input.candidateProcessHistoryItem';

/** A profile that exists, whose candidate does too, and that the partner may see. */
function requireProfile(id: string, field: string, context: Context): CandidateProfile {
  const profile = requireObject(context.world.candidateProfiles, id, field);
  assertProfile(profile, context);
  if (context.world.candidates.get(profile.candidateId)?.isDeleted !== false) {
    throw invalid(field, 'must identify the profile of a candidate who is not deleted');
  }
  return profile;
}

interface CreateInput {
  readonly candidateProfile: { readonly profileId: string };
  readonly candidateProcessHistoryItem: StepInput & { readonly idempotencyId: string };
}

function create({ input }: { input: CreateInput }, context: Context): object {
  const profile = requireProfile(
    input.candidateProfile.profileId,
    'input.candidateProfile.profileId',
    context,
  );
  const { idempotencyId } = input.candidateProcessHistoryItem;
  assertText(idempotencyId, 255, `${FIELD}.idempotencyId`);
  const content = readStep(input.candidateProcessHistoryItem, profile.hirerId, FIELD, context);
  assertStateful(context);
  const payload = 'CreateCandidateProcessHistoryItemPayload';
  const repeated = context.world.stepsOf(profile.id).find((step) => step.idempotencyId === idempotencyId);
  const candidateProfile = candidateProfileView(profile);
  if (repeated !== undefined) {
    const conflictingCandidateProcessHistoryItem = stepView(repeated);
    return { __typename: `${payload}_Conflict`, candidateProfile, conflictingCandidateProcessHistoryItem };
  }
  const step = addStep(profile, content, idempotencyId, context);
  return { __typename: `${payload}_Success`, candidateProfile, candidateProcessHistoryItem: stepView(step) };
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

function requireStep(id: string, context: Context): { step: ProcessStep; profile: CandidateProfile } {
  const step = requireObject(context.world.steps, id, `${FIELD}.id`);
  return { step, profile: requireProfile(step.profileId, `${FIELD}.id`, context) };
}

interface UpdateInput {
  readonly candidateProcessHistoryItem: StepInput & { readonly id: string };
}

function update({ input }: { input: UpdateInput }, context: Context): object {
  const { step, profile } = requireStep(input.candidateProcessHistoryItem.id, context);
  const content = readStep(input.candidateProcessHistoryItem, profile.hirerId, FIELD, context);
  assertStateful(context);
  Object.assign(step, content);
  return { candidateProcessHistoryItem: stepView(step) };
}

interface DeleteInput {
  readonly candidateProcessHistoryItem: { readonly id: string };
}

function remove({ input }: { input: DeleteInput }, context: Context): object {
  const { step } = requireStep(input.candidateProcessHistoryItem.id, context);
  assertStateful(context);
  context.world.steps.delete(step.id);
  return { candidateProcessHistoryItem: stepView(step) };
}

/** Mutations of the steps of a hiring process. */
export const processHistoryMutations: RootFields = {
  createCandidateProcessHistoryItem: create,
  updateCandidateProcessHistoryItem: update,
  deleteCandidateProcessHistoryItem: remove,
};
