import { findLibraryQuestion } from '../../data/questionnaires/library-questions.js';
import type {
  Question,
  Questionnaire,
  QuestionnaireComponent,
} from '../../data/questionnaires/questionnaire-records.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';

const INPUT_BYTES_MAX = 56 * 1024;
const CHOICES_MIN = 2;
const CHOICES_MAX = 99;

interface ChoiceInput {
  readonly text: string;
  readonly value?: string | null;
  readonly preferredIndicator: boolean;
}

interface QuestionInput {
  readonly value?: string | null;
  readonly questionHtml: string;
  readonly responseTypeCode: string;
  readonly responseChoice?: readonly ChoiceInput[] | null;
}

interface LibraryQuestionInput {
  readonly id: string;
  readonly selectedResponseChoice?: readonly string[] | null;
}

interface ConsentInput {
  readonly value?: string | null;
  readonly descriptionHtml?: string | null;
  readonly privacyPolicyUrl: { readonly url: string };
}

interface ComponentInput {
  readonly componentTypeCode: string;
  readonly question?: QuestionInput | null;
  readonly libraryQuestion?: LibraryQuestionInput | null;
  readonly privacyConsent?: ConsentInput | null;
}

interface CreateInput {
  readonly applicationQuestionnaire: {
    readonly hirerId: string;
    readonly components: readonly ComponentInput[];
  };
}

function create({ input }: { input: CreateInput }, context: Context): object {
  const { hirerId, components } = input.applicationQuestionnaire;
  const field = 'input.applicationQuestionnaire.components';
  if (Buffer.byteLength(JSON.stringify(input)) > INPUT_BYTES_MAX) {
    throw invalid('input', 'must have at most 56 KiB');
  }
  assertDistinct(
    components.map(({ question, privacyConsent }) => question?.value ?? privacyConsent?.value),
    field,
  );
  const questionnaire: Questionnaire = {
    id: context.world.newId('seekAnzPublicTest:applicationQuestionnaire:rrv2'),
    hirerId,
    components: components.map((component, index) =>
      readComponent(component, `${field}[${String(index)}]`, context),
    ),
  };
  assertStateful(context);
  context.world.questionnaires.set(questionnaire.id, questionnaire);
  return { applicationQuestionnaire: questionnaire };
}

/** The one member that the type code names. */
function readComponent(input: ComponentInput, field: string, context: Context): QuestionnaireComponent {
  const { componentTypeCode, question, libraryQuestion, privacyConsent } = input;
  const members = [question, libraryQuestion, privacyConsent].filter((member) => member != null);
  const isConsent = componentTypeCode === 'PrivacyConsent';
  if (members.length !== 1 || isConsent !== (privacyConsent != null)) {
    const wanted = isConsent ? 'privacyConsent' : 'question or libraryQuestion';
    throw invalid(field, `must have ${wanted} and nothing else`);
  }
  if (privacyConsent != null) return readConsent(privacyConsent, context);
  if (question != null) return readQuestion(question, `${field}.question`, context);
  return readLibraryQuestion(libraryQuestion as LibraryQuestionInput, `${field}.libraryQuestion`, context);
}

function readConsent(input: ConsentInput, { world }: Context): QuestionnaireComponent {
  return {
    componentTypeCode: 'PrivacyConsent',
    id: world.newId('seekAnzPublicTest:applicationPrivacyConsent:rrv2'),
    value: input.value ?? null,
    descriptionHtml: input.descriptionHtml ?? null,
    privacyPolicyUrl: input.privacyPolicyUrl,
  };
}

function readQuestion(question: QuestionInput, field: string, { world }: Context): Question {
  const { questionHtml, responseTypeCode, responseChoice, value } = question;
  const choices = responseChoice ?? [];
  const [min, max] = responseTypeCode === 'FreeText' ? [0, 0] : [CHOICES_MIN, CHOICES_MAX];
  if (choices.length < min || choices.length > max) {
    throw invalid(`${field}.responseChoice`, `must have from ${String(min)} to ${String(max)} members`);
  }
  assertDistinct(
    choices.map(({ text }) => text),
    `${field}.responseChoice`,
  );
  assertDistinct(
    choices.map((choice) => choice.value),
    `${field}.responseChoice`,
  );
  return {
    componentTypeCode: 'Question',
    id: world.newId('seekAnzPublicTest:applicationQuestion:rrv2'),
    value: value ?? null,
    questionHtml,
    responseTypeCode,
    libraryQuestionId: null,
    responseChoice: choices.map(({ text, value: choiceValue, preferredIndicator }) => ({
      id: world.newId('seekAnzPublicTest:applicationQuestionChoice:rrv2'),
      text,
      value: choiceValue ?? null,
      preferredIndicator,
      selectedIndicator: preferredIndicator,
      libraryChoiceId: null,
    })),
  };
}

/** A question of the library. Of a range, everything from the lowest to the highest chosen answer is preferred. */
function readLibraryQuestion(input: LibraryQuestionInput, field: string, { world }: Context): Question {
  const source = findLibraryQuestion(input.id);
  if (source === undefined) throw invalid(`${field}.id`, 'must identify a question of the library');
  const chosen = input.selectedResponseChoice ?? [];
  const ids = source.responseChoice.map(({ id }) => id);
  const unknown = chosen.findIndex((id) => !ids.includes(id));
  if (unknown !== -1) {
    throw invalid(`${field}.selectedResponseChoice[${String(unknown)}]`, `must be one of ${ids.join(', ')}`);
  }
  const places = chosen.map((id) => ids.indexOf(id));
  const isPreferred = (index: number): boolean =>
    source.preference === 'Range'
      ? index >= Math.min(...places) && index <= Math.max(...places)
      : places.includes(index);
  return {
    componentTypeCode: 'Question',
    id: world.newId('seekAnzPublicTest:applicationQuestion:rrv2'),
    value: null,
    questionHtml: source.text,
    responseTypeCode: source.responseTypeCode,
    libraryQuestionId: source.id,
    responseChoice: source.responseChoice.map(({ id, text }, index) => ({
      id: world.newId('seekAnzPublicTest:applicationQuestionChoice:rrv2'),
      text,
      value: null,
      preferredIndicator: isPreferred(index),
      selectedIndicator: places.includes(index),
      libraryChoiceId: id,
    })),
  };
}

/** Throws when two values are the same; undefined and null do not count. */
function assertDistinct(list: readonly (string | null | undefined)[], field: string): void {
  const given = list.filter((value) => value != null);
  if (new Set(given).size < given.length) throw invalid(field, 'must not repeat a value');
}

/** The mutation that creates a questionnaire. */
export const questionnaireMutations: RootFields = { createApplicationQuestionnaire: create };
