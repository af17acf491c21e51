import type { Candidate, CandidateProfile } from './candidate-records.js';
import type { Hirer } from '../hirers.js';
import { addProfile, makeCandidate } from './make-candidate.js';
import { makePerson, type Person } from './people.js';
import type { PostedProfile } from '../positions/position-records.js';
import type { Questionnaire, Submission } from '../questionnaires/questionnaire-records.js';
import { SeededRandom } from '../random.js';
import type { Attachment, AttachmentFormat } from '../records.js';
import { readTable } from '../tables.js';
import type { World } from '../world.js';

/** A file to attach to an application. */
export interface AttachmentPlan {
  readonly roleCode: Attachment['roleCode'];
  readonly format: AttachmentFormat;
  /** The size it is padded to; by default just what its text takes. */
  readonly bytes?: number;
  /** The end of an identifier that is fixed. */
  readonly suffix?: string | undefined;
}

/** The parts of an application; any that is left out is made up. */
export interface ApplicationPlan {
  readonly createdMs: number;
  readonly attachments: readonly AttachmentPlan[];
  /** One whom the hirer knows already. */
  readonly candidate?: Candidate | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** The ends of identifiers that are fixed. */
  readonly profileSuffix?: string | undefined;
  readonly candidateSuffix?: string | undefined;
  /** Changes the answers that were made up. */
  readonly answer?: (questionnaire: Questionnaire, made: Submission) => Submission;
}

/** Adds an application for an ad, by a new candidate or one who is known. */
export function addApplication(
  world: World,
  position: PostedProfile,
  random: SeededRandom,
  plan: ApplicationPlan,
): CandidateProfile {
  const hirer = world.hirers.get(position.hirerId);
  if (hirer === undefined) throw new RangeError('The ad belongs to no hirer.');
  const candidate = plan.candidate ?? newCandidate(hirer, random, plan);
  const id = `seekAnzPublicTest:candidateProfile:apply:${plan.profileSuffix ?? random.suffix()}`;
  const submission = submissionFor(position, world, random, { ...plan, reason: reasonOf(id) });
  const attachments = plan.attachments.map((file) => makeAttachment(file, id, candidate, random, plan));
  for (const attachment of attachments) world.attachments.set(attachment.id, attachment);
  return addProfile(world, candidate, {
    id,
    kind: 'application',
    createdMs: plan.createdMs,
    positionProfileId: position.id,
    attachmentIds: attachments.map((attachment) => attachment.id),
    seekQuestionnaireSubmission: submission,
  });
}

function newCandidate(hirer: Hirer, random: SeededRandom, plan: ApplicationPlan): Candidate {
  const { name, email, candidateSuffix } = plan;
  const madeUp = makePerson(random, hirer.market);
  const person: Person = {
    name: name === undefined ? madeUp.name : { formattedName: name },
    communication: { ...madeUp.communication, ...(email !== undefined && { email: [{ address: email }] }) },
  };
  const suffix = candidateSuffix ?? random.suffix(30);
  return makeCandidate(`seekAnzPublicTest:candidate:feed:${suffix}`, hirer.id, person);
}

function submissionFor(
  { ad }: PostedProfile,
  world: World,
  random: SeededRandom,
  { answer, reason }: ApplicationPlan & { readonly reason: string },
): Submission | null {
  const questionnaire = world.questionnaires.get(ad.questionnaireId ?? '');
  if (questionnaire === undefined) return null;
  const made = makeSubmission(questionnaire, reason, random);
  return answer === undefined ? made : answer(questionnaire, made);
}

const REASONS = readTable<readonly string[]>('reasons');

/** Why somebody applies; the same application always has the same reason. */
function reasonOf(profileId: string): string {
  return new SeededRandom(profileId).pick(REASONS);
}

/** Answers to every component: one of the choices, the reason, or a consent. */
function makeSubmission({ id, components }: Questionnaire, reason: string, random: SeededRandom): Submission {
  const answers = components.map((component) => {
    const answer = { componentId: component.id, texts: [], choiceIds: [], isConsentGiven: false };
    if (component.componentTypeCode === 'PrivacyConsent') {
      return { ...answer, isConsentGiven: random.chance(0.9) };
    }
    if (component.responseChoice.length === 0) return { ...answer, texts: [reason] };
    const choice = random.pick(component.responseChoice);
    return { ...answer, texts: [choice.text], choiceIds: [choice.id] };
  });
  return { questionnaireId: id, answers };
}

function makeAttachment(
  { roleCode, format, bytes = 0, suffix }: AttachmentPlan,
  profileId: string,
  { hirerId, person }: Candidate,
  random: SeededRandom,
  { createdMs }: ApplicationPlan,
): Attachment {
  return {
    id: `seekAnzPublicTest:attachment:applications:${suffix ?? random.suffix(44)}`,
    profileId,
    hirerId,
    roleCode,
    format,
    bytes,
    fileName: `${roleCode ?? 'Sample'} ${person.name.formattedName}.${format}`,
    modifiedMs: createdMs,
  };
}
