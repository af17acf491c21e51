import type { Candidate, CandidateProfile, ProfileKind } from './candidate-records.js';
import type { Hirer } from '../hirers/hirers.js';
import { makePerson, type Person } from './people.js';
import type { SeededRandom } from '../random.js';
import type { World } from '../world.js';

/** A candidate without any profile yet. */
export function makeCandidate(id: string, hirer: Hirer, person: Person): Candidate {
  return {
    id,
    hirerId: hirer.id,
    person,
    profileIds: [],
    isUploaded: false,
    seekPrimaryEmailAddress: null,
    distributionGuidelines: {
      seekProductCodes: [id.startsWith('globalPublicTest:') ? 'ProactiveSourcing' : 'CandidateManagement'],
    },
    isDeleted: false,
  };
}

/** A profile without anything in it. */
export function makeProfile(
  id: string,
  kind: ProfileKind,
  candidate: Candidate,
  createdMs: number,
): CandidateProfile {
  return {
    id,
    kind,
    candidateId: candidate.id,
    hirerId: candidate.hirerId,
    positionProfileId: null,
    attachmentIds: [],
    seekQuestionnaireSubmission: null,
    createdMs,
    updatedMs: createdMs,
    seekActions: [],
    positionPreferences: [],
  };
}

/** Adds a profile to the world as the newest of its candidate. */
export function keepProfile(world: World, candidate: Candidate, profile: CandidateProfile): void {
  candidate.profileIds.push(profile.id);
  world.candidates.set(candidate.id, candidate);
  world.candidateProfiles.set(profile.id, profile);
}

/** Adds a profile that a hirer purchased when it searched for candidates, for an unposted position if it has one. */
export function addPurchase(
  world: World,
  hirer: Hirer,
  positionProfileId: string | null,
  random: SeededRandom,
  createdMs: number,
): CandidateProfile {
  const id = `seekAnzPublicTest:candidate:feed:${random.suffix(30)}`;
  const candidate = makeCandidate(id, hirer, makePerson(random, hirer.market));
  const profileId = `seekAnzPublicTest:candidateProfile:purchase:${random.suffix()}`;
  const profile = { ...makeProfile(profileId, 'purchase', candidate, createdMs), positionProfileId };
  keepProfile(world, candidate, profile);
  return profile;
}
