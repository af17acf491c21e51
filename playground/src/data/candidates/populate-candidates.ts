import type { Candidate, CandidateProfile } from './candidate-records.js';
import type { Hirer } from '../hirers.js';
import { addApplication, type ApplicationPlan, type AttachmentPlan } from './make-application.js';
import { addCandidate } from './make-candidate.js';
import { REDACTED } from './people.js';
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
  const createdMs = startMs - OPEN_MS;
  if (hirer.relationships.includes('ApplicationPrefill')) {
    addCandidate(world, hirer, random, 'prefill', { createdMs, profileSuffix: KNOWN_PREFILL });
  }
  if (!hirer.relationships.includes('ProactiveSourcing')) return;
  for (let n = 0; n < UPLOADS; n++) {
    const suffix = isFirst && n === 0 ? KNOWN_UPLOAD : undefined;
    addStep(world, hirer, random, addCandidate(world, hirer, random, 'upload', { createdMs, suffix }));
  }
  // One that was deleted can be read, but is empty.
  addCandidate(world, hirer, random, 'upload', { createdMs, person: REDACTED });
  for (const { id } of own.filter(({ ad }) => ad === null).slice(0, PURCHASES)) {
    addCandidate(world, hirer, random, 'purchase', { createdMs, positionProfileId: id });
  }
}

/** One step of a hiring process. */
function addStep(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  { id: profileId, createdMs }: CandidateProfile,
): void {
  const id = `globalPublicTest:candidateProcessHistoryItem:seek:${random.suffix()}`;
  const description = 'Would like to hear of nursing positions.';
  world.steps.set(id, {
    id,
    profileId,
    idempotencyId: null,
    action: { code: 'Screening', name: 'First call', description },
    actionDate: new Date(createdMs),
    positionProfileId: null,
    primaryParties: [{ organization: { name: hirer.name } }],
    seekSource: null,
    status: { code: 'Interview' },
  });
}

/** The bits of the running number choose the roles, so that eight applicants have every combination. */
function attachmentsFor(index: number, { market }: Hirer, random: SeededRandom): AttachmentPlan[] {
  const roles = ROLES.filter((_role, bit) => (index & (1 << bit)) !== 0);
  // The fonts that every PDF reader has write western names only.
  const formats = market === 'TH' ? FORMATS.filter((format) => format !== 'pdf') : FORMATS;
  return roles.map((roleCode) => ({ roleCode, format: random.pick(formats) }));
}
