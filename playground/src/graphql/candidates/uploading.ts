import type { Candidate, CandidateProfile } from '../../data/candidates/candidate-records.js';
import { addProfile, makeCandidate } from '../../data/candidates/make-candidate.js';
import { REDACTED } from '../../data/candidates/people.js';
import { assertHirer } from '../access.js';
import type {
  Mutation_deleteUploadedCandidate,
  Mutation_updateUploadedCandidatePerson,
  Mutation_uploadCandidate,
  UploadCandidate_CandidateInput,
} from '../arguments.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import { addStep, readStep } from './process-history.js';

/** The identity of a candidate that the partner uploads. */
type Identity = Pick<UploadCandidate_CandidateInput, 'person' | 'seekPrimaryEmailAddress'>;

const CANDIDATE = 'input.candidate';
const PROFILE = 'input.candidateProfile';

/** A person, one of whose e-mail addresses is the primary one. */
function readPerson({ person, seekPrimaryEmailAddress }: Identity): Identity {
  if (person.communication.email.some(({ address }) => address === seekPrimaryEmailAddress)) {
    return { person, seekPrimaryEmailAddress };
  }
  throw invalid(`${CANDIDATE}.seekPrimaryEmailAddress`, "must be one of the candidate's e-mail addresses");
}

/** The dates of the partner's own record, in order. */
function readDates({
  createDateTime,
  updateDateTime,
}: Readonly<Record<'createDateTime' | 'updateDateTime', Date>>) {
  if (updateDateTime < createDateTime) {
    throw invalid(`${PROFILE}.updateDateTime`, 'must not be before createDateTime');
  }
  return { createdMs: createDateTime.getTime(), updatedMs: updateDateTime.getTime() };
}

function upload({ input }: Mutation_uploadCandidate, context: Context) {
  const { world } = context;
  const { candidateProfile, hiringOrganization } = input;
  const { id: hirerId } = hiringOrganization;
  assertHirer(hirerId, context, 'ProactiveSourcing');
  const { person, seekPrimaryEmailAddress } = readPerson(input.candidate);
  const { distributionGuidelines } = input.candidate;
  const candidate: Candidate = {
    ...makeCandidate(world.newId('globalPublicTest:candidate:uploaded'), hirerId, person),
    seekPrimaryEmailAddress,
    distributionGuidelines,
  };
  const steps = candidateProfile.seekProcessHistory.map((step, index) =>
    readStep(step, hirerId, `${PROFILE}.seekProcessHistory[${String(index)}]`, context),
  );
  const { seekActions, positionPreferences } = candidateProfile;
  const content = { ...readDates(candidateProfile), seekActions, positionPreferences };
  return () => {
    const hirer = world.hirers.get(hirerId);
    const known = findByEmail(candidate, context);
    if (known !== undefined) return { conflictingCandidate: known, hiringOrganization: hirer };
    const id = world.newId('globalPublicTest:candidateProfile:uploaded');
    const profile = addProfile(world, candidate, { id, kind: 'upload', ...content });
    return {
      candidate,
      candidateProcessHistoryItems: steps.map((step) => addStep(profile, step, null, context)),
      hiringOrganization: hirer,
    };
  };
}

/** Another uploaded candidate of the hirer with the same primary e-mail address. */
function findByEmail(candidate: Candidate, { world }: Context): Candidate | undefined {
  return [...world.candidates.values()].find(
    ({ id, hirerId, isUploaded, isDeleted, seekPrimaryEmailAddress }) =>
      isUploaded &&
      !isDeleted &&
      id !== candidate.id &&
      hirerId === candidate.hirerId &&
      seekPrimaryEmailAddress === candidate.seekPrimaryEmailAddress,
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

function updatePerson({ input }: Mutation_updateUploadedCandidatePerson, context: Context) {
  const candidate = requireUploaded(input.candidate.documentId, `${CANDIDATE}.documentId`, context);
  const change = readPerson(input.candidate);
  return () => {
    const known = findByEmail({ ...candidate, ...change }, context);
    if (known !== undefined) return { conflictingCandidate: known };
    return { candidate: Object.assign(candidate, change) };
  };
}

/** A mutation that replaces a part of an uploaded profile. */
function updateProfile<T>(read: (input: T) => Partial<CandidateProfile>) {
  return ({ input }: { input: { candidateProfile: T & { profileId: string } } }, context: Context) => {
    const { profileId } = input.candidateProfile;
    const profile = requireObject(context.world.candidateProfiles, profileId, `${PROFILE}.profileId`);
    requireUploaded(profile.candidateId, `${PROFILE}.profileId`, context);
    const change = read(input.candidateProfile);
    return () => ({ candidateProfile: Object.assign(profile, change) });
  };
}

/** Nothing that identifies the person is kept, nor what was done with it. */
function remove({ input }: Mutation_deleteUploadedCandidate, context: Context) {
  const candidate = requireUploaded(input.candidate.documentId, `${CANDIDATE}.documentId`, context);
  return () => {
    Object.assign(candidate, { person: REDACTED, seekPrimaryEmailAddress: null, isDeleted: true });
    for (const id of candidate.profileIds) {
      Object.assign(context.world.candidateProfiles.get(id)!, { seekActions: [], positionPreferences: [] });
      for (const step of context.world.stepsOf(id)) context.world.steps.delete(step.id);
    }
    return { candidate };
  };
}

/** Mutations of uploaded candidates. */
export const uploading: Resolvers = {
  Mutation: {
    uploadCandidate: upload,
    updateUploadedCandidatePerson: updatePerson,
    updateUploadedCandidateProfileActions: updateProfile(
      ({ seekActions }: Pick<CandidateProfile, 'seekActions'>) => ({
        seekActions,
      }),
    ),
    updateUploadedCandidateProfileDates: updateProfile(readDates),
    updateUploadedCandidateProfilePositionPreferences: updateProfile(
      ({ positionPreferences }: Pick<CandidateProfile, 'positionPreferences'>) => ({ positionPreferences }),
    ),
    deleteUploadedCandidate: remove,
  },
};
