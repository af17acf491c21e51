import type { Person } from '../../data/people.js';
import type { Candidate, CandidateProfile, ProcessStep } from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { RootFields } from '../root-fields.js';
import { candidateProfileView, candidateView, processStepView } from '../views/candidate-views.js';
import { assertStateful } from './assert-stateful.js';

interface PersonInput {
  readonly name: {
    readonly formattedName: string;
    readonly given?: string | null;
    readonly family?: string | null;
  };
  readonly email: readonly { readonly address: string }[];
  readonly phone?: readonly { readonly formattedNumber: string }[] | null;
}

function readPerson({ name, email, phone }: PersonInput, countryCode: string): Person {
  if (name.formattedName.trim() === '') {
    throw graphqlError('BAD_USER_INPUT', 'formattedName must not be empty.');
  }
  if (email.length === 0 || email.some(({ address }) => !address.includes('@'))) {
    throw graphqlError('BAD_USER_INPUT', 'A candidate needs a valid e-mail address.');
  }
  return {
    formattedName: name.formattedName,
    given: name.given ?? null,
    family: name.family ?? null,
    emails: email.map(({ address }) => address),
    phones: (phone ?? []).map(({ formattedNumber }) => formattedNumber),
    countryCode,
  };
}

function requireUploaded(id: string, context: Context): Candidate {
  const candidate = requireObject(context.world.candidates, id, 'documentId');
  assertHirer(candidate.hirerId, context, 'ProactiveSourcing');
  if (!candidate.isUploaded) throw graphqlError('FORBIDDEN', 'Only uploaded candidates can be changed.');
  return candidate;
}

interface UploadInput {
  readonly hirerId: string;
  readonly candidate: { readonly person: PersonInput };
}

function upload({ input }: { input: UploadInput }, context: Context): object {
  const { world, now } = context;
  assertHirer(input.hirerId, context, 'ProactiveSourcing');
  const person = readPerson(input.candidate.person, world.hirers.get(input.hirerId)?.market ?? 'AU');
  const isKnown = [...world.candidates.values()].some(
    (other) =>
      other.isUploaded &&
      !other.isDeleted &&
      other.hirerId === input.hirerId &&
      other.person.emails.some((address) => person.emails.includes(address)),
  );
  if (isKnown) {
    throw graphqlError('BAD_USER_INPUT', 'A candidate with this e-mail address has already been uploaded.');
  }
  assertStateful(context);
  const candidate: Candidate = {
    id: world.newId('globalPublicTest:candidate:uploaded'),
    hirerId: input.hirerId,
    person,
    profileIds: [],
    isUploaded: true,
    isDeleted: false,
  };
  const profile: CandidateProfile = {
    id: world.newId('globalPublicTest:candidateProfile:uploaded'),
    candidateId: candidate.id,
    hirerId: input.hirerId,
    positionProfileId: null,
    attachmentIds: [],
    createdMs: now(),
    updatedMs: now(),
    steps: [],
    employers: [],
    institutions: [],
    competencies: [],
  };
  candidate.profileIds.push(profile.id);
  world.candidates.set(candidate.id, candidate);
  world.candidateProfiles.set(profile.id, profile);
  return { candidate: candidateView(candidate), candidateProfile: candidateProfileView(profile) };
}

function updatePerson(
  { input }: { input: { documentId: string; person: PersonInput } },
  context: Context,
): object {
  const candidate = requireUploaded(input.documentId, context);
  const person = readPerson(input.person, candidate.person.countryCode);
  assertStateful(context);
  candidate.person = person;
  return { candidate: candidateView(candidate) };
}

const updateList =
  (list: 'employers' | 'institutions' | 'competencies') =>
  ({ input }: { input: { profileId: string; names: readonly string[] } }, context: Context): object => {
    const profile = requireObject(context.world.candidateProfiles, input.profileId, 'profileId');
    requireUploaded(profile.candidateId, context);
    if (input.names.some((name) => name.trim() === '')) {
      throw graphqlError('BAD_USER_INPUT', 'names must not contain an empty name.');
    }
    assertStateful(context);
    profile[list] = input.names;
    profile.updatedMs = context.now();
    return { candidateProfile: candidateProfileView(profile) };
  };

function remove({ input }: { input: { documentId: string } }, context: Context): object {
  const candidate = requireUploaded(input.documentId, context);
  assertStateful(context);
  candidate.isDeleted = true;
  return { candidate: candidateView(candidate) };
}

interface StepInput {
  readonly statusCode: string;
  readonly descriptions?: readonly string[] | null;
}

function checkStep({ statusCode }: StepInput): void {
  if (statusCode.trim() === '') throw graphqlError('BAD_USER_INPUT', 'statusCode must not be empty.');
}

function createStep({ input }: { input: StepInput & { profileId: string } }, context: Context): object {
  const profile = requireObject(context.world.candidateProfiles, input.profileId, 'profileId');
  assertHirer(profile.hirerId, context);
  checkStep(input);
  assertStateful(context);
  const step: ProcessStep = {
    id: context.world.newId('globalPublicTest:candidateProcessHistoryItem:seek'),
    profileId: profile.id,
    statusCode: input.statusCode,
    descriptions: input.descriptions ?? [],
    actionDateMs: context.now(),
  };
  profile.steps.push(step);
  return { candidateProcessHistoryItem: processStepView(step) };
}

function requireStep(id: string, context: Context): { step: ProcessStep; profile: CandidateProfile } {
  for (const profile of context.world.candidateProfiles.values()) {
    const step = profile.steps.find((candidate) => candidate.id === id);
    if (step === undefined) continue;
    assertHirer(profile.hirerId, context);
    return { step, profile };
  }
  throw graphqlError('BAD_USER_INPUT', 'id is not the identifier of a step.');
}

function updateStep({ input }: { input: StepInput & { id: string } }, context: Context): object {
  const { step } = requireStep(input.id, context);
  checkStep(input);
  assertStateful(context);
  step.statusCode = input.statusCode;
  step.descriptions = input.descriptions ?? step.descriptions;
  step.actionDateMs = context.now();
  return { candidateProcessHistoryItem: processStepView(step) };
}

function deleteStep({ input }: { input: { id: string } }, context: Context): object {
  const { step, profile } = requireStep(input.id, context);
  assertStateful(context);
  profile.steps.splice(profile.steps.indexOf(step), 1);
  return { candidateProcessHistoryItem: processStepView(step) };
}

/** Mutations of uploaded candidates and of their steps in a hiring process. */
export const candidateMutations: RootFields = {
  uploadCandidate: upload,
  updateUploadedCandidatePerson: updatePerson,
  updateUploadedCandidateProfileEmployment: updateList('employers'),
  updateUploadedCandidateProfileEducation: updateList('institutions'),
  updateUploadedCandidateProfileQualifications: updateList('competencies'),
  deleteUploadedCandidate: remove,
  createCandidateProcessHistoryItem: createStep,
  updateCandidateProcessHistoryItem: updateStep,
  deleteCandidateProcessHistoryItem: deleteStep,
};
