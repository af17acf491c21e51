import type {
  Candidate,
  CandidateProfile,
  PositionPreference,
  ProcessAction,
} from '../../data/candidates/candidate-records.js';
import { REDACTED } from '../../data/candidates/people.js';
import { assertHirer } from '../access.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import { assertEachOneOf } from '../input-checks.js';
import { hirerView } from '../organizations/organization-views.js';
import { candidateProfileView, candidateView, stepView } from './candidate-views.js';
import { addStep } from './process-history.js';
import { readProfileActions } from './step-inputs.js';
import {
  readDates,
  readPreferences,
  readUploadedPerson,
  readUploadedProfile,
  type CandidateInput,
  type DatesInput,
  type ProfileInput,
} from './upload-inputs.js';

interface UploadInput {
  readonly hiringOrganization: { readonly id: string };
  readonly candidate: CandidateInput & {
    readonly distributionGuidelines: { readonly seekProductCodes: readonly string[] };
  };
  readonly candidateProfile: ProfileInput;
}

function upload({ input }: { input: UploadInput }, context: Context): object {
  const { world } = context;
  const hirerId = input.hiringOrganization.id;
  assertHirer(hirerId, context, 'ProactiveSourcing');
  const { seekProductCodes } = input.candidate.distributionGuidelines;
  assertEachOneOf(
    seekProductCodes,
    ['ProactiveSourcing'],
    'input.candidate.distributionGuidelines.seekProductCodes',
  );
  const person = readUploadedPerson(input.candidate, 'input.candidate');
  const candidate: Candidate = {
    id: world.newId('globalPublicTest:candidate:uploaded'),
    hirerId,
    person,
    profileIds: [],
    isUploaded: true,
    primaryEmail: input.candidate.seekPrimaryEmailAddress,
    productCodes: seekProductCodes,
    isDeleted: false,
  };
  const { profile, steps } = readUploadedProfile(input.candidateProfile, candidate, context);
  assertStateful(context);
  const hiringOrganization = hirerView(requireObject(world.hirers, hirerId, 'input.hiringOrganization.id'));
  const known = findByEmail(candidate, context);
  if (known !== undefined) {
    const conflictingCandidate = candidateView(known);
    return { __typename: 'UploadCandidatePayload_Conflict', conflictingCandidate, hiringOrganization };
  }
  candidate.profileIds.push(profile.id);
  world.candidates.set(candidate.id, candidate);
  world.candidateProfiles.set(profile.id, profile);
  return {
    __typename: 'UploadCandidatePayload_Success',
    candidate: candidateView(candidate),
    candidateProcessHistoryItems: steps.map((content) => stepView(addStep(profile, content, null, context))),
    hiringOrganization,
  };
}

/** Another uploaded candidate of the hirer with the same primary e-mail address. */
function findByEmail(
  { id, hirerId, primaryEmail }: Pick<Candidate, 'id' | 'hirerId' | 'primaryEmail'>,
  { world }: Context,
): Candidate | undefined {
  return [...world.candidates.values()].find(
    (other) =>
      other.isUploaded &&
      !other.isDeleted &&
      other.id !== id &&
      other.hirerId === hirerId &&
      other.primaryEmail === primaryEmail,
  );
}

/** An uploaded candidate that exists and that the partner may change. */
function requireUploaded(id: string, field: string, context: Context): Candidate {
  const candidate = requireObject(context.world.candidates, id, field);
  assertHirer(candidate.hirerId, context, 'ProactiveSourcing');
  if (!candidate.isUploaded) throw invalid(field, 'must identify an uploaded candidate');
  if (candidate.isDeleted) throw invalid(field, 'must identify a candidate who is not deleted');
  return candidate;
}

interface PersonUpdate {
  readonly candidate: CandidateInput & { readonly documentId: string };
}

function updatePerson({ input }: { input: PersonUpdate }, context: Context): object {
  const { documentId, seekPrimaryEmailAddress: primaryEmail } = input.candidate;
  const candidate = requireUploaded(documentId, 'input.candidate.documentId', context);
  const person = readUploadedPerson(input.candidate, 'input.candidate');
  assertStateful(context);
  const payload = 'UpdateUploadedCandidatePersonPayload';
  const known = findByEmail({ ...candidate, primaryEmail }, context);
  if (known !== undefined) {
    return { __typename: `${payload}_Conflict`, conflictingCandidate: candidateView(known) };
  }
  Object.assign(candidate, { person, primaryEmail });
  return { __typename: `${payload}_Success`, candidate: candidateView(candidate) };
}

/** A mutation that replaces a part of an uploaded profile. */
function updateProfile<T>(read: (input: T, field: string) => Partial<CandidateProfile>) {
  return (
    { input }: { input: { candidateProfile: T & { profileId: string } } },
    context: Context,
  ): object => {
    const field = 'input.candidateProfile';
    const { profileId } = input.candidateProfile;
    const profile = requireObject(context.world.candidateProfiles, profileId, `${field}.profileId`);
    requireUploaded(profile.candidateId, `${field}.profileId`, context);
    const change = read(input.candidateProfile, field);
    assertStateful(context);
    Object.assign(profile, change);
    return { candidateProfile: candidateProfileView(profile) };
  };
}

interface DeleteInput {
  readonly candidate: { readonly documentId: string };
}

/** Nothing that identifies the person is kept, nor what was done with it. */
function remove({ input }: { input: DeleteInput }, context: Context): object {
  const candidate = requireUploaded(input.candidate.documentId, 'input.candidate.documentId', context);
  assertStateful(context);
  Object.assign(candidate, { person: REDACTED, primaryEmail: null, isDeleted: true });
  for (const id of candidate.profileIds) {
    const profile = requireObject(context.world.candidateProfiles, id, 'profileId');
    Object.assign(profile, { actions: [], preferences: [] });
    for (const step of context.world.stepsOf(id)) context.world.steps.delete(step.id);
  }
  return { candidate: candidateView(candidate) };
}

/** Mutations of uploaded candidates. */
export const uploadMutations: RootFields = {
  uploadCandidate: upload,
  updateUploadedCandidatePerson: updatePerson,
  updateUploadedCandidateProfileActions: updateProfile<{ seekActions: readonly ProcessAction[] }>(
    ({ seekActions }, field) => ({ actions: readProfileActions(seekActions, `${field}.seekActions`) }),
  ),
  updateUploadedCandidateProfileDates: updateProfile<DatesInput>(readDates),
  updateUploadedCandidateProfilePositionPreferences: updateProfile<{
    positionPreferences: readonly PositionPreference[];
  }>(({ positionPreferences }, field) => ({
    preferences: readPreferences(positionPreferences, `${field}.positionPreferences`),
  })),
  deleteUploadedCandidate: remove,
};
