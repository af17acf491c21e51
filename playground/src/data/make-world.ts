import type { Hirer } from './hirers.js';
import { makeHistory } from './history.js';
import { makeOpening, makePosition } from './make-position.js';
import { isLive } from './position-records.js';
import { populateCandidates } from './populate-candidates.js';
import { SeededRandom } from './random.js';
import type { QuestionChoice, Questionnaire } from './questionnaire-records.js';
import { World } from './world.js';

/** Identifiers that the upstream's public documentation shows, given to the first objects of the first hirer. */
const KNOWN_POSITIONS = ['2782PZfXV', '27cuZeA47'];
const KNOWN_BRANDINGS = ['37EWfWxhwVEGTT5BcjfE2L', '5DU2L2vQsyTXuu9NEUKT3f', '9Rw3f4qpkwv4poHjTwdu6K', 'BYAZKaoXhS9LHFMv5gJ87e'];
const KNOWN_QUESTIONNAIRES = ['SqFmkV8S2dMipyqbHjD9Mr', 'Jx1Gnnkf8uxhR3TeCkNsSK'];

/** What decides how much there is in a world. */
export interface WorldPlan {
  /** The same seed gives the same objects. */
  readonly seed: string;
  /** How many openings each hirer has. */
  readonly size: number;
  /** What all times are relative to, in milliseconds since the epoch. */
  readonly startMs: number;
}

/** The openings of each hirer, if nothing else is asked for. */
export const SIZE_DEFAULT = 100;

/** A world full of data, the same for the same seed. Each hirer has its own generator, so that the data of one do not affect another's. */
export function makeWorld(plan: WorldPlan): World {
  const { seed, startMs } = plan;
  const world = new World(seed);
  let isFirst = true;
  for (const hirer of world.hirers.values()) {
    const random = new SeededRandom(`${seed}:${hirer.id}`);
    populateBrandings(world, hirer, random, isFirst ? KNOWN_BRANDINGS : []);
    populateQuestionnaires(world, hirer, random, isFirst ? KNOWN_QUESTIONNAIRES : []);
    populatePositions(world, hirer, random, plan, isFirst ? KNOWN_POSITIONS : []);
    populateCandidates(world, hirer, random, startMs, isFirst);
    isFirst = false;
  }
  world.events.addAll(makeHistory(world, seed, startMs));
  return world;
}

function populateBrandings(world: World, hirer: Hirer, random: SeededRandom, known: readonly string[]): void {
  for (const [index, name] of ['Main', 'Graduates', 'Regional', 'Executive'].entries()) {
    const id = `globalPublicTest:advertisementBranding:hirerBranding:${known[index] ?? random.suffix()}`;
    world.brandings.set(id, { id, hirerId: hirer.id, name: `${hirer.name} ${name}` });
  }
}

function populateQuestionnaires(world: World, hirer: Hirer, random: SeededRandom, known: readonly string[]): void {
  for (const index of [0, 1]) {
    const id = `seekAnzPublicTest:applicationQuestionnaire:rrv2:${known[index] ?? random.suffix()}`;
    world.questionnaires.set(id, makeQuestionnaire(id, hirer, random));
  }
}

/** One question to choose from, one with a free answer, and a consent. */
function makeQuestionnaire(id: string, hirer: Hirer, random: SeededRandom): Questionnaire {
  const newId = (type: string): string => `seekAnzPublicTest:${type}:rrv2:${random.suffix()}`;
  const choice = (text: string, preferred: boolean): QuestionChoice => ({
    id: newId('applicationQuestionChoice'),
    text,
    value: null,
    preferred,
    selected: preferred,
    libraryChoiceId: null,
  });
  const question = { kind: 'Question', libraryQuestionId: null } as const;
  return {
    id,
    hirerId: hirer.id,
    components: [
      {
        ...question,
        id: newId('applicationQuestion'),
        value: 'right-to-work',
        questionHtml: 'May you work in this country?',
        responseTypeCode: 'SingleSelect',
        choices: [choice('Yes', true), choice('No', false)],
      },
      {
        ...question,
        id: newId('applicationQuestion'),
        value: 'reason',
        questionHtml: 'Why this position?',
        responseTypeCode: 'FreeText',
        choices: [],
      },
      {
        kind: 'PrivacyConsent',
        id: newId('applicationPrivacyConsent'),
        value: 'privacy',
        descriptionHtml: null,
        privacyPolicyUrl: 'https://hirer.example/privacy',
      },
    ],
  };
}

/** Openings with a profile or several, and one that nobody has written a profile for yet. */
function populatePositions(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  { startMs, size }: WorldPlan,
  known: readonly string[],
): void {
  const empty = { ...makeOpening(hirer, random), statusCode: 'Incomplete' };
  world.openings.set(empty.id, empty);
  for (let index = 0; index < size; index++) {
    const opening = makeOpening(hirer, random);
    world.openings.set(opening.id, opening);
    const suffix = known[index];
    const isPosted = suffix !== undefined || random.chance(0.85);
    const profiles = isPosted && suffix === undefined && random.chance(0.2) ? random.int(2, 3) : 1;
    const made = Array.from({ length: profiles }, () =>
      makePosition(world, hirer, opening, random, { startMs, isPosted, suffix }),
    ).sort((a, b) => (a.ad?.startMs ?? 0) - (b.ad?.startMs ?? 0));
    for (const profile of made) {
      world.positionProfiles.set(profile.id, profile);
      opening.profileIds.push(profile.id);
    }
    if (!isPosted) opening.statusCode = 'Incomplete';
    else if (!made.some((profile) => isLive(profile, startMs))) opening.statusCode = 'Closed';
  }
}
