import type { Hirer } from './hirers.js';
import { makePerson } from './people.js';
import type { SeededRandom } from './random.js';
import type { Attachment, AttachmentFormat, Candidate, CandidateProfile, PositionProfile } from './records.js';
import type { World } from './world.js';

/** Identifiers that the upstream's public documentation shows. */
const KNOWN_APPLICATIONS = [
  { profile: '4QM5fWQbdekL9gPtPZrzex', candidate: '5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM' },
  { profile: '7DtW6Q68gk2R4okNGhvg1Y', candidate: '5PGXAHysiXhtA9JUqhyM8hhzMuWMPA' },
];
const KNOWN_UPLOAD = '12uNaG7vqgW6G1jG7qp7ha';
const KNOWN_ATTACHMENTS = ['7xF8zuiaFdnFo84DBSZVEjiu9EoWZasQRAr5YSYeHvGj', '7wS9uaWkwNrz4L5EUjNoBpVHCo61gaTSTdqiEeqxPVAk'];

/** One file of each format, from the smallest to the largest: the second known application has them. */
const SAMPLES: readonly { format: AttachmentFormat; bytes: number }[] = [
  { format: 'txt', bytes: 1_000 },
  { format: 'rtf', bytes: 10_000 },
  { format: 'doc', bytes: 1_000_000 },
  { format: 'docx', bytes: 20_000_000 },
  { format: 'pdf', bytes: 200_000_000 },
];
const FORMATS: readonly AttachmentFormat[] = ['pdf', 'docx', 'doc', 'rtf', 'txt'];
const ROLES = ['CoverLetter', 'Resume', 'SelectionCriteria'] as const;
const APPLICATIONS_MAX = 14;
/** Applications come in during these days after a position is posted. */
const OPEN_MS = 30 * 86_400_000;

/** Gives every posted position of a hirer its applicants, with every combination of attachments. */
export function populateCandidates(world: World, hirer: Hirer, random: SeededRandom, startMs: number, isFirst: boolean): void {
  const posted = [...world.positionProfiles.values()].filter(({ hirerId, kind }) => hirerId === hirer.id && kind === 'posted');
  let index = 0;
  for (const position of posted) {
    const count = Math.max(random.int(0, APPLICATIONS_MAX), isFirst && index === 0 ? KNOWN_APPLICATIONS.length : 0);
    for (let n = 0; n < count; n++) {
      const postedMs = position.startMs ?? startMs;
      const createdMs = random.int(postedMs, Math.min(startMs - 60_000, postedMs + OPEN_MS));
      const known = isFirst ? KNOWN_APPLICATIONS[index] : undefined;
      addApplication(world, hirer, position, random, { createdMs, index: index++, ...known });
    }
  }
  if (isFirst) addUploadedCandidate(world, hirer, random, startMs - OPEN_MS);
}

/** The candidate that the partner uploaded for the first hirer, with one step of a hiring process. */
function addUploadedCandidate(world: World, hirer: Hirer, random: SeededRandom, createdMs: number): void {
  const id = `globalPublicTest:candidate:uploaded:${KNOWN_UPLOAD}`;
  const profileId = `globalPublicTest:candidateProfile:uploaded:${random.suffix()}`;
  world.candidates.set(id, {
    id,
    hirerId: hirer.id,
    person: makePerson(random, hirer.market),
    profileIds: [profileId],
    isUploaded: true,
    isDeleted: false,
  });
  const stepId = `globalPublicTest:candidateProcessHistoryItem:seek:${random.suffix()}`;
  world.candidateProfiles.set(profileId, {
    id: profileId,
    candidateId: id,
    hirerId: hirer.id,
    positionProfileId: null,
    attachmentIds: [],
    createdMs,
    updatedMs: createdMs,
    steps: [{ id: stepId, profileId, statusCode: 'Screening', descriptions: [], actionDateMs: createdMs }],
  });
}

/** What an application is made from. */
interface Application {
  readonly createdMs: number;
  /** Running number: its bits choose the attachments. */
  readonly index: number;
  /** The ends of identifiers that are fixed. */
  readonly profile?: string;
  readonly candidate?: string;
}

/** Adds a new candidate who applies for a position. */
export function addApplication(
  world: World,
  hirer: Hirer,
  position: PositionProfile,
  random: SeededRandom,
  application: Application,
): CandidateProfile {
  const { createdMs } = application;
  const candidate: Candidate = {
    id: `seekAnzPublicTest:candidate:feed:${application.candidate ?? random.suffix(30)}`,
    hirerId: hirer.id,
    person: makePerson(random, hirer.market),
    profileIds: [],
    isUploaded: false,
    isDeleted: false,
  };
  const id = `seekAnzPublicTest:candidateProfile:apply:${application.profile ?? random.suffix()}`;
  const owner = { profileId: id, hirerId: hirer.id, modifiedMs: createdMs, person: candidate.person.formattedName };
  const attachments = makeAttachments(application, owner, random);
  const profile: CandidateProfile = {
    id,
    candidateId: candidate.id,
    hirerId: hirer.id,
    positionProfileId: position.id,
    attachmentIds: attachments.map((attachment) => attachment.id),
    createdMs,
    updatedMs: createdMs,
    steps: [],
  };
  candidate.profileIds.push(profile.id);
  world.candidates.set(candidate.id, candidate);
  world.candidateProfiles.set(profile.id, profile);
  for (const attachment of attachments) world.attachments.set(attachment.id, attachment);
  return profile;
}

/** The bits of the running number choose the roles, so that eight applicants have every combination. */
function makeAttachments(
  application: Application,
  { person, ...owner }: Pick<Attachment, 'profileId' | 'hirerId' | 'modifiedMs'> & { readonly person: string },
  random: SeededRandom,
): Attachment[] {
  const make = (roleCode: Attachment['roleCode'], format: AttachmentFormat, bytes: number, suffix?: string): Attachment => ({
    id: `seekAnzPublicTest:attachment:applications:${suffix ?? random.suffix(44)}`,
    ...owner,
    roleCode,
    format,
    bytes,
    fileName: `${roleCode ?? 'Sample'} ${person}.${format}`,
  });
  if (application.profile === KNOWN_APPLICATIONS[0]?.profile) {
    return [make('CoverLetter', 'docx', 18_000, KNOWN_ATTACHMENTS[0]), make('Resume', 'pdf', 90_000, KNOWN_ATTACHMENTS[1])];
  }
  if (application.profile === KNOWN_APPLICATIONS[1]?.profile) {
    return SAMPLES.map(({ format, bytes }) => make(null, format, bytes));
  }
  const roles = ROLES.filter((_role, bit) => (application.index & (1 << bit)) !== 0);
  return roles.map((role) => make(role, random.pick(FORMATS), Math.round(1_000 * 2_000 ** random.next())));
}
