import type { Candidate } from './candidate-records.js';
import type { Hirer } from '../hirers/hirers.js';
import { addApplication, type ApplicationPlan, type AttachmentPlan } from './make-application.js';
import { addPurchase, keepProfile, makeCandidate, makeProfile } from './make-candidate.js';
import { makePerson, REDACTED } from './people.js';
import { isPosted } from '../positions/position-records.js';
import type { SeededRandom } from '../random.js';
import type { AttachmentFormat } from '../records.js';
import { readTable } from '../tables.js';
import type { World } from '../world.js';

type KnownApplication = Pick<ApplicationPlan, 'profileSuffix' | 'candidateSuffix' | 'attachments'>;

/** Identifiers that the upstream's public documentation shows. */
const KNOWN_UPLOAD = '12uNaG7vqgW6G1jG7qp7ha';
const KNOWN_PREFILL = 'PoJo9PPLL9wEF6z5nvMP9d';
const PURCHASES = 3;
const UPLOADS = 5;
/** The second has one file of each format, from the smallest to the largest. */
const KNOWN_APPLICATIONS = readTable<readonly KnownApplication[]>('knownApplications');
const FORMATS: readonly AttachmentFormat[] = ['pdf', 'doc', 'rtf', 'txt'];
const ROLES = ['CoverLetter', 'Resume', 'SelectionCriteria'] as const;
const APPLICATIONS_MAX = 14;
/** Applications come in during these days after a position is posted. */
const OPEN_MS = 30 * 86_400_000;

/** Gives every ad of a hirer its applicants, with every combination of attachments; some apply more than once. */
export function populateCandidates(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  startMs: number,
  isFirst: boolean,
): void {
  const own = [...world.positionProfiles.values()].filter(({ hirerId }) => hirerId === hirer.id);
  const applicants: Candidate[] = [];
  for (const position of own.filter(isPosted).filter(({ ad }) => ad.applicationUri === null)) {
    const known = isFirst && applicants.length === 0 ? KNOWN_APPLICATIONS : [];
    const count = Math.max(random.int(0, APPLICATIONS_MAX), known.length);
    for (let n = 0; n < count; n++) {
      const { startMs: postedMs, endMs } = position.ad;
      const latestMs = Math.max(postedMs, Math.min(startMs - 60_000, endMs));
      const again = known[n] === undefined && applicants.length > 0 && random.chance(0.25);
      const profile = addApplication(world, position, random, {
        createdMs: random.int(postedMs, latestMs),
        attachments: attachmentsFor(applicants.length + n, hirer, random),
        candidate: again ? random.pick(applicants) : undefined,
        ...known[n],
      });
      const candidate = world.candidates.get(profile.candidateId);
      if (!again && candidate !== undefined) applicants.push(candidate);
    }
  }
  if (hirer.relationships.includes('ApplicationPrefill')) {
    addPrefilledCandidate(world, hirer, random, startMs - OPEN_MS);
  }
  if (!hirer.relationships.includes('ProactiveSourcing')) return;
  for (let n = 0; n < UPLOADS; n++) {
    const suffix = isFirst && n === 0 ? KNOWN_UPLOAD : random.suffix();
    addUploadedCandidate(world, hirer, random, startMs - OPEN_MS, suffix);
  }
  addDeletedCandidate(world, hirer, random, startMs - OPEN_MS);
  const unposted = own.filter(({ ad }) => ad === null);
  for (const position of unposted.slice(0, PURCHASES)) {
    addPurchase(world, hirer, position.id, random, startMs - OPEN_MS);
  }
}

/** A candidate that the partner uploaded, with one step of a hiring process. */
function addUploadedCandidate(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  createdMs: number,
  suffix: string,
): void {
  const person = makePerson(random, hirer.market);
  const id = `globalPublicTest:candidate:uploaded:${suffix}`;
  const seekPrimaryEmailAddress = person.communication.email[0]?.address ?? null;
  const candidate = { ...makeCandidate(id, hirer, person), isUploaded: true, seekPrimaryEmailAddress };
  const profileId = keepUpload(world, candidate, random, createdMs);
  const stepId = `globalPublicTest:candidateProcessHistoryItem:seek:${random.suffix()}`;
  world.steps.set(stepId, {
    id: stepId,
    profileId,
    idempotencyId: null,
    action: {
      code: 'Screening',
      name: 'First call',
      description: 'Would like to hear of nursing positions.',
    },
    actionDate: new Date(createdMs),
    positionProfileId: null,
    primaryParties: [{ organization: { name: hirer.name } }],
    seekSource: null,
    status: { code: 'Interview' },
  });
}

/** A candidate that the partner uploaded and deleted again: it can be read, but is empty. */
function addDeletedCandidate(world: World, hirer: Hirer, random: SeededRandom, createdMs: number): void {
  const id = `globalPublicTest:candidate:uploaded:${random.suffix()}`;
  const candidate = { ...makeCandidate(id, hirer, REDACTED), isUploaded: true, isDeleted: true };
  keepUpload(world, candidate, random, createdMs);
}

function keepUpload(world: World, candidate: Candidate, random: SeededRandom, createdMs: number): string {
  const id = `globalPublicTest:candidateProfile:uploaded:${random.suffix()}`;
  keepProfile(world, candidate, makeProfile(id, 'upload', candidate, createdMs));
  return id;
}

/** The candidate whose profile fills in an application form, under the identifier of the public documentation. */
function addPrefilledCandidate(world: World, hirer: Hirer, random: SeededRandom, createdMs: number): void {
  const id = `globalPublicTest:candidate:prefill:${random.suffix()}`;
  const candidate = makeCandidate(id, hirer, makePerson(random, hirer.market));
  const profileId = `globalPublicTest:candidateProfile:prefill:${KNOWN_PREFILL}`;
  keepProfile(world, candidate, makeProfile(profileId, 'prefill', candidate, createdMs));
}

/** The bits of the running number choose the roles, so that eight applicants have every combination. */
function attachmentsFor(index: number, { market }: Hirer, random: SeededRandom): AttachmentPlan[] {
  const roles = ROLES.filter((_role, bit) => (index & (1 << bit)) !== 0);
  // The fonts that every PDF reader has write western names only.
  const formats = market === 'TH' ? FORMATS.filter((format) => format !== 'pdf') : FORMATS;
  return roles.map((roleCode) => ({ roleCode, format: random.pick(formats) }));
}
