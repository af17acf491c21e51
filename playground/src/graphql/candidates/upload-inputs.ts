import type { Candidate, CandidateProfile, StepContent } from '../../data/candidates/candidate-records.js';
import type { Address, Person } from '../../data/candidates/people.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { assertCount } from '../input-checks.js';
import {
  assertEmail,
  readAddress,
  readPerson,
  type AddressInput,
  type PersonInput,
} from '../people/person-inputs.js';
import { readProfileActions, readStep, type ActionInput, type StepInput } from './step-inputs.js';

/** The identity of a candidate that the partner uploads. */
export interface CandidateInput {
  readonly person: PersonInput;
  readonly seekPrimaryEmailAddress: string;
}

/** PositionPreferenceInput of the schema. */
export interface PreferenceInput {
  readonly locations: readonly { readonly referenceLocation: AddressInput }[];
}

/** When the partner's own record of a candidate was created and changed. */
export interface DatesInput {
  readonly createDateTime: Date;
  readonly updateDateTime: Date;
}

/** UploadCandidate_CandidateProfileInput of the schema. */
export interface ProfileInput extends DatesInput {
  readonly positionPreferences: readonly PreferenceInput[];
  readonly seekActions: readonly ActionInput[];
  readonly seekProcessHistory: readonly StepInput[];
}

const STEPS_MAX = 20;

/** The profile that an upload describes and its steps, in the order of the input. */
export function readUploadedProfile(
  input: ProfileInput,
  { id, hirerId }: Candidate,
  context: Context,
): { profile: CandidateProfile; steps: StepContent[] } {
  const field = 'input.candidateProfile';
  assertCount(input.seekProcessHistory, 0, STEPS_MAX, `${field}.seekProcessHistory`);
  const steps = input.seekProcessHistory.map((step, index) =>
    readStep(step, hirerId, `${field}.seekProcessHistory[${String(index)}]`, context),
  );
  const profile: CandidateProfile = {
    id: context.world.newId('globalPublicTest:candidateProfile:uploaded'),
    kind: 'upload',
    candidateId: id,
    hirerId,
    positionProfileId: null,
    attachmentIds: [],
    submission: null,
    ...readDates(input, field),
    actions: readProfileActions(input.seekActions, `${field}.seekActions`),
    preferences: readPreferences(input.positionPreferences, `${field}.positionPreferences`),
  };
  return { profile, steps };
}

/** A person, one of whose e-mail addresses is the primary one. */
export function readUploadedPerson(
  { person, seekPrimaryEmailAddress }: CandidateInput,
  field: string,
): Person {
  const read = readPerson(person, `${field}.person`);
  assertCount(read.emails, 1, 5, `${field}.person.communication.email`);
  assertEmail(seekPrimaryEmailAddress, `${field}.seekPrimaryEmailAddress`);
  if (!read.emails.includes(seekPrimaryEmailAddress)) {
    throw invalid(`${field}.seekPrimaryEmailAddress`, "must be one of the candidate's e-mail addresses");
  }
  return read;
}

/** Where a candidate would like to work. */
export function readPreferences(preferences: readonly PreferenceInput[], field: string): Address[][] {
  assertCount(preferences, 0, 1, field);
  return preferences.map(({ locations }, index) => {
    const path = `${field}[${String(index)}].locations`;
    assertCount(locations, 0, 5, path);
    return locations.map(({ referenceLocation }, place) =>
      readAddress(referenceLocation, `${path}[${String(place)}].referenceLocation`),
    );
  });
}

/** The dates that an input states, in order. */
export function readDates(
  { createDateTime, updateDateTime }: DatesInput,
  field: string,
): Pick<CandidateProfile, 'createdMs' | 'updatedMs'> {
  if (updateDateTime < createDateTime) {
    throw invalid(`${field}.updateDateTime`, 'must not be before createDateTime');
  }
  return { createdMs: createDateTime.getTime(), updatedMs: updateDateTime.getTime() };
}
