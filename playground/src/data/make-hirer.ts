import { NAME, type Body } from '../http/body-schemas.js';
import {
  FIRST_ADVERTISER_ID,
  ID_PREFIX,
  MARKETS,
  RELATIONSHIP_TYPES,
  type Hirer,
  type RelationshipType,
} from './hirers.js';
import type { QuestionChoice, Questionnaire } from './questionnaires/questionnaire-records.js';
import type { SeededRandom } from './random.js';
import type { World } from './world.js';

/** What a hirer to add says, as JSON Schema has it. */
export const HIRER_MEMBERS = {
  name: NAME,
  /** Where it recruits; `AU` by default. */
  market: { enum: MARKETS },
  /** Its relationships with the partner; `[]` for a hirer that the partner has no access to. */
  relationships: { type: 'array', items: { enum: RELATIONSHIP_TYPES } },
} as const;
/** A hirer to add. */
export type HirerWish = Body<typeof HIRER_MEMBERS, 'name'>;

const RELATIONSHIPS: readonly RelationshipType[] = [
  'ApplicationExport',
  'ApplicationPrefill',
  'JobPosting',
  'ProactiveSourcing',
];

/** Adds a hirer with brandings and questionnaires to a world. */
export function addHirer(world: World, random: SeededRandom, wish: HirerWish): Hirer {
  const { name, market = 'AU', relationships = RELATIONSHIPS } = wish;
  const hirer: Hirer = {
    id: `${ID_PREFIX}${random.suffix(8)}`,
    name,
    advertiserId: FIRST_ADVERTISER_ID + world.hirers.size,
    market,
    countryCodes: [market],
    relationships: [...relationships],
  };
  world.hirers.set(hirer.id, hirer);
  populateHirer(world, hirer, random, false);
  return hirer;
}

/** Identifiers that the upstream's public documentation shows, given to the objects of the first hirer. */
const KNOWN_BRANDINGS = [
  '37EWfWxhwVEGTT5BcjfE2L',
  '5DU2L2vQsyTXuu9NEUKT3f',
  '9Rw3f4qpkwv4poHjTwdu6K',
  'BYAZKaoXhS9LHFMv5gJ87e',
];
const KNOWN_QUESTIONNAIRES = ['SqFmkV8S2dMipyqbHjD9Mr', 'Jx1Gnnkf8uxhR3TeCkNsSK'];

/** Gives a hirer the brandings and questionnaires that its ads use. */
export function populateHirer(world: World, hirer: Hirer, random: SeededRandom, isFirst: boolean): void {
  populateBrandings(world, hirer, random, isFirst ? KNOWN_BRANDINGS : []);
  populateQuestionnaires(world, hirer, random, isFirst ? KNOWN_QUESTIONNAIRES : []);
}

function populateBrandings(world: World, hirer: Hirer, random: SeededRandom, known: readonly string[]): void {
  for (const [index, name] of ['Main', 'Graduates', 'Regional', 'Executive'].entries()) {
    const id = `globalPublicTest:advertisementBranding:hirerBranding:${known[index] ?? random.suffix()}`;
    world.brandings.set(id, { id, hirerId: hirer.id, name: `${hirer.name} ${name}` });
  }
}

function populateQuestionnaires(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  known: readonly string[],
): void {
  for (const index of [0, 1]) {
    const id = `seekAnzPublicTest:applicationQuestionnaire:rrv2:${known[index] ?? random.suffix()}`;
    world.questionnaires.set(id, makeQuestionnaire(id, hirer, random));
  }
}

/** One question to choose from, one with a free answer, and a consent. */
function makeQuestionnaire(id: string, hirer: Hirer, random: SeededRandom): Questionnaire {
  const newId = (type: string): string => `seekAnzPublicTest:${type}:rrv2:${random.suffix()}`;
  const choice = (text: string, preferredIndicator: boolean): QuestionChoice => ({
    id: newId('applicationQuestionChoice'),
    text,
    value: null,
    preferredIndicator,
    selectedIndicator: preferredIndicator,
    libraryChoiceId: null,
  });
  const question = { componentTypeCode: 'Question', libraryQuestionId: null } as const;
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
        responseChoice: [choice('Yes', true), choice('No', false)],
      },
      {
        ...question,
        id: newId('applicationQuestion'),
        value: 'reason',
        questionHtml: 'Why this position?',
        responseTypeCode: 'FreeText',
        responseChoice: [],
      },
      {
        componentTypeCode: 'PrivacyConsent',
        id: newId('applicationPrivacyConsent'),
        value: 'privacy',
        descriptionHtml: null,
        privacyPolicyUrl: { url: 'https://hirer.example/privacy' },
      },
    ],
  };
}
