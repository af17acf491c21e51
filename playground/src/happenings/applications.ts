import type { Candidate, CandidateProfile } from '../data/candidates/candidate-records.js';
import { addApplication, type AttachmentPlan } from '../data/candidates/make-application.js';
import { isLive, isPosted, type PostedProfile } from '../data/positions/position-records.js';
import type {
  ComponentAnswer,
  Question,
  Questionnaire,
  Submission,
} from '../data/questionnaires/questionnaire-records.js';
import { SeededRandom } from '../data/random.js';
import type { EventRecord } from '../data/records.js';
import type { World } from '../data/world.js';
import { NAME, TEXT, TEXTS, type Body } from '../http/body-schemas.js';
import type { EventFeed } from './event-feed.js';

/** What an application to make says, as JSON Schema has it. */
export const APPLICATION_MEMBERS = {
  positionProfileId: TEXT,
  /** A candidate whom the hirer knows already; a new one by default. */
  candidateId: TEXT,
  /** For a new candidate; made up by default. */
  name: NAME,
  email: TEXT,
  /**
   * By the identifier or the partner's value of a component: the text of a choice or several, a free answer, or
   * whether consent is given. Others are answered at random.
   */
  answers: { type: 'object' },
  /** Such as `Resume.pdf`; a résumé and a letter by default. */
  attachments: TEXTS,
} as const;
/** An application to make: the candidate, the ad and the documents. */
export type ApplicationWish = Body<typeof APPLICATION_MEMBERS, 'positionProfileId'>;

const ROLES = ['CoverLetter', 'Resume', 'SelectionCriteria', 'Other'] as const;
const FORMATS = ['doc', 'pdf', 'rtf', 'txt'] as const;

/** Candidates who apply for ads on request. */
export class Applications {
  private readonly random: SeededRandom;

  constructor(
    private readonly world: () => World,
    private readonly feed: EventFeed,
    private readonly now: () => number,
    seed = '',
  ) {
    this.random = new SeededRandom(`applications${seed}`);
  }

  /**
   * Makes a candidate apply, and emits the event.
   * @throws RangeError naming the member that is wrong
   */
  apply(wish: ApplicationWish): EventRecord {
    const application = this.add(wish);
    const { hirerId } = application;
    return this.feed.tell('CandidateApplicationCreated', { hirerId, members: membersOf(application) });
  }

  /** The same without the event. */
  add(wish: ApplicationWish): CandidateProfile {
    const world = this.world();
    const ad = this.requireLiveAd(wish.positionProfileId);
    checkWish(wish, ad);
    const candidate = wish.candidateId === undefined ? undefined : findCandidate(wish.candidateId, ad, world);
    return addApplication(world, ad, this.random, {
      createdMs: this.now(),
      attachments: readAttachments(wish.attachments ?? ['Resume.doc', 'CoverLetter.doc']),
      candidate,
      name: wish.name,
      email: wish.email,
      answer: (questionnaire, made) => withAnswers(questionnaire, made, wish.answers ?? {}),
    });
  }

  /** The ads of related hirers that can be applied for, the newest first. */
  openAds(): PostedProfile[] {
    const world = this.world();
    return [...world.positionProfiles.values()]
      .filter(isPosted)
      .filter((profile) => isLive(profile, this.now()) && profile.ad.applicationUri === null)
      .filter(({ hirerId }) => world.isRelated(hirerId))
      .sort((a, b) => b.ad.startMs - a.ad.startMs);
  }

  private requireLiveAd(id: string): PostedProfile {
    const profile = this.world().positionProfiles.get(id);
    if (!isPosted(profile)) throw new RangeError('positionProfileId does not identify an ad that is posted.');
    if (!isLive(profile, this.now())) throw new RangeError('The ad of positionProfileId is closed.');
    if (profile.ad.applicationUri !== null) {
      throw new RangeError("The ad of positionProfileId leads to the hirer's own form.");
    }
    return profile;
  }
}

/** The members of the event that tells of an application. */
export function membersOf({ id: candidateApplicationProfileId, candidateId }: CandidateProfile) {
  return { candidateApplicationProfileId, candidateId };
}

/** Throws for answers without a questionnaire, and for what is neither a name nor an address. */
function checkWish(wish: ApplicationWish, { ad }: PostedProfile): void {
  if (wish.answers !== undefined && ad.questionnaireId === null) {
    throw new RangeError('answers: the ad asks no questions.');
  }
  if (wish.email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(wish.email)) {
    throw new RangeError('email is an e-mail address.');
  }
}

function findCandidate(id: string, { hirerId }: PostedProfile, { candidates }: World): Candidate {
  const candidate = candidates.get(id);
  if (candidate?.hirerId === hirerId && !candidate.isDeleted) return candidate;
  throw new RangeError('candidateId does not identify a candidate of the hirer of the ad.');
}

function readAttachments(names: readonly string[]): AttachmentPlan[] {
  return names.map((name) => {
    const [roleName, formatName] = name.split('.');
    const role = ROLES.find((known) => known === roleName);
    const format = FORMATS.find((known) => known === formatName);
    if (role !== undefined && format !== undefined) {
      return { roleCode: role === 'Other' ? null : role, format };
    }
    const example = `one of ${ROLES.join(', ')} with an ending of ${FORMATS.join(', ')}, such as Resume.pdf`;
    throw new RangeError(`attachments are ${example}; ${name} is not.`);
  });
}

/** A submission with the given answers, and made-up ones for the rest. */
function withAnswers(
  { components }: Questionnaire,
  submission: Submission,
  wanted: Readonly<Record<string, unknown>>,
): Submission {
  const left = new Map(Object.entries(wanted));
  const answers = submission.answers.map((made) => {
    const component = components.find(({ id }) => id === made.componentId);
    const key = [component?.id, component?.value].find((name) => name != null && left.has(name));
    if (component === undefined || key == null) return made;
    const answer = left.get(key);
    left.delete(key);
    if (component.componentTypeCode === 'PrivacyConsent') return { ...made, isConsentGiven: answer === true };
    return { ...made, ...readAnswer(component, answer, key) };
  });
  const [unknown] = left.keys();
  if (unknown === undefined) return { ...submission, answers };
  throw new RangeError(`answers: the ad has no question ${unknown}.`);
}

function readAnswer(
  { responseChoice: choices, responseTypeCode }: Question,
  answer: unknown,
  key: string,
): Pick<ComponentAnswer, 'texts' | 'choiceIds'> {
  const texts = (Array.isArray(answer) ? answer : [answer]).map(String);
  if (texts.length !== 1 && responseTypeCode !== 'MultiSelect') {
    throw new RangeError(`answers: ${key} takes one answer.`);
  }
  if (choices.length === 0) return { texts, choiceIds: [] };
  const chosen = texts.map((text) => {
    const choice = choices.find((offered) => [offered.id, offered.value, offered.text].includes(text));
    if (choice !== undefined) return choice;
    throw new RangeError(`answers: ${key} is one of ${choices.map((offered) => offered.text).join(', ')}.`);
  });
  return { texts: chosen.map(({ text }) => text), choiceIds: chosen.map(({ id }) => id) };
}
