import type {
  Candidate,
  CandidateProfile,
  PositionPreference,
  ProcessAction,
  StepContent,
} from '../../data/candidates/candidate-records.js';
import type { Person } from '../../data/candidates/people.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { assertCount } from '../input-checks.js';
import { assertEmail, checkAddress, readPerson } from '../people/person-inputs.js';
import { readProfileActions, readStep, type StepInput } from './step-inputs.js';

/** The identity of a candidate that the partner uploads. */
export interface CandidateInput {
  readonly person: Person;
  readonly seekPrimaryEmailAddress: string;
}

/** When the partner's own record of a candidate was created and changed. */
export interface DatesInput {
  readonly createDateTime: Date;
  readonly updateDateTime: Date;
}

/** UploadCandidate_CandidateProfileInput of the schema. */
export interface ProfileInput extends DatesInput {
  readonly positionPreferences: readonly PositionPreference[];
  readonly seekActions: readonly ProcessAction[];
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
  const { email } = read.communication;
  assertCount(email, 1, 5, `${field}.person.communication.email`);
  assertEmail(seekPrimaryEmailAddress, `${field}.seekPrimaryEmailAddress`);
  if (!email.some(({ address }) => address === seekPrimaryEmailAddress)) {
    throw invalid(`${field}.seekPrimaryEmailAddress`, "must be one of the candidate's e-mail addresses");
  }
  return read;
}

/** Where a candidate would like to work. */
export function readPreferences(
  preferences: readonly PositionPreference[],
  field: string,
): readonly PositionPreference[] {
  assertCount(preferences, 0, 1, field);
  for (const { locations } of preferences) {
    const path = `${field}[0].locations`;
    assertCount(locations, 0, 5, path);
    for (const [place, { referenceLocation }] of locations.entries()) {
      checkAddress(referenceLocation, `${path}[${String(place)}].referenceLocation`);
    }
  }
  return preferences;
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
