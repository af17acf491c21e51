import type { Candidate, CandidateProfile, ProfileKind } from './candidate-records.js';
import type { Hirer } from '../hirers.js';
import { makePerson, REDACTED, type Person } from './people.js';
import type { SeededRandom } from '../random.js';
import type { World } from '../world.js';

/** A candidate without any profile yet; one that was uploaded is known by its first e-mail address. */
export function makeCandidate(id: string, hirerId: string, person: Person): Candidate {
  const isUploaded = id.startsWith('globalPublicTest:candidate:uploaded:');
  const product = id.startsWith('globalPublicTest:') ? 'ProactiveSourcing' : 'CandidateManagement';
  return {
    id,
    hirerId,
    person,
    profileIds: [],
    isUploaded,
    seekPrimaryEmailAddress: isUploaded ? (person.communication.email[0]?.address ?? null) : null,
    distributionGuidelines: { seekProductCodes: [product] },
    isDeleted: person === REDACTED,
  };
}

/** Adds a profile to the world as the newest of its candidate; it has nothing in it but what is given. */
export function addProfile(
  world: World,
  candidate: Candidate,
  profile: Pick<CandidateProfile, 'id' | 'kind' | 'createdMs'> & Partial<CandidateProfile>,
): CandidateProfile {
  const added: CandidateProfile = {
    candidateId: candidate.id,
    hirerId: candidate.hirerId,
    positionProfileId: null,
    attachmentIds: [],
    seekQuestionnaireSubmission: null,
    updatedMs: profile.createdMs,
    seekActions: [],
    positionPreferences: [],
    ...profile,
  };
  candidate.profileIds.push(added.id);
  world.candidates.set(candidate.id, candidate);
  world.candidateProfiles.set(added.id, added);
  return added;
}

/** How the identifiers of candidates and their profiles begin, where nobody applied. */
const PREFIXES = {
  prefill: ['globalPublicTest:candidate:prefill', 'globalPublicTest:candidateProfile:prefill'],
  purchase: ['seekAnzPublicTest:candidate:feed', 'seekAnzPublicTest:candidateProfile:purchase'],
  upload: ['globalPublicTest:candidate:uploaded', 'globalPublicTest:candidateProfile:uploaded'],
} as const satisfies Partial<Record<ProfileKind, readonly [candidate: string, profile: string]>>;

/** The parts of a candidate that are not made up. */
interface CandidatePlan {
  readonly createdMs: number;
  readonly person?: Person;
  readonly suffix?: string | undefined;
  readonly profileSuffix?: string;
  /** The unposted profile that a purchase is for. */
  readonly positionProfileId?: string | null;
}

/** Adds a candidate who has not applied, with one profile. */
export function addCandidate(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  kind: keyof typeof PREFIXES,
  plan: CandidatePlan,
): CandidateProfile {
  const [candidateIds, profileIds] = PREFIXES[kind];
  const { createdMs, positionProfileId = null, person = makePerson(random, hirer.market) } = plan;
  const candidate = makeCandidate(`${candidateIds}:${plan.suffix ?? random.suffix(30)}`, hirer.id, person);
  const id = `${profileIds}:${plan.profileSuffix ?? random.suffix()}`;
  return addProfile(world, candidate, { id, kind, createdMs, positionProfileId });
}
