import { findLibraryQuestion } from '../../data/questionnaires/library-questions.js';
import type {
  Question,
  QuestionChoice,
  Questionnaire,
  QuestionnaireComponent,
} from '../../data/questionnaires/questionnaire-records.js';
import type {
  ApplicationLibraryQuestionInput,
  ApplicationQuestionInput,
  ApplicationQuestionnaireComponentInput,
} from '../arguments.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import type { Resolvers } from '../schema/build-schema.js';

const INPUT_BYTES_MAX = 56 * 1024;
const CHOICES_MIN = 2;
const CHOICES_MAX = 99;

/** The mutation that creates a questionnaire. */
export const questionnaireMutations: Resolvers = {
  Mutation: {
    createApplicationQuestionnaire: ({ input }, context) => {
      const { hirerId, components } = input.applicationQuestionnaire;
      const field = 'input.applicationQuestionnaire.components';
      const text = JSON.stringify(input, (_name, value: unknown) => value ?? undefined);
      if (Buffer.byteLength(text) > INPUT_BYTES_MAX) throw invalid('input', 'must have at most 56 KiB');
      assertDistinct(
        components.map(({ question, privacyConsent }) => (question ?? privacyConsent)?.value),
        field,
      );
      const questionnaire: Questionnaire = {
        id: context.world.newId('seekAnzPublicTest:applicationQuestionnaire:rrv2'),
        hirerId,
        components: components.map((component, index) =>
          readComponent(component, `${field}[${String(index)}]`, context),
        ),
      };
      return () => {
        context.world.questionnaires.set(questionnaire.id, questionnaire);
        return { applicationQuestionnaire: questionnaire };
      };
    },
  },
};

/** The one member that the type code names. */
function readComponent(
  input: ApplicationQuestionnaireComponentInput,
  field: string,
  { world }: Context,
): QuestionnaireComponent {
  const { componentTypeCode, question, libraryQuestion, privacyConsent } = input;
  const members = [question, libraryQuestion, privacyConsent].filter((member) => member !== null);
  const isConsent = componentTypeCode === 'PrivacyConsent';
  if (members.length !== 1 || isConsent !== (privacyConsent !== null)) {
    const wanted = isConsent ? 'privacyConsent' : 'question or libraryQuestion';
    throw invalid(field, `must have ${wanted} and nothing else`);
  }
  if (privacyConsent !== null) {
    return { ...privacyConsent, id: world.newId('seekAnzPublicTest:applicationPrivacyConsent:rrv2') };
  }
  const asked =
    question === null
      ? readLibraryQuestion(libraryQuestion!, `${field}.libraryQuestion`)
      : readQuestion(question, `${field}.question`);
  return {
    ...asked,
    componentTypeCode: 'Question',
    id: world.newId('seekAnzPublicTest:applicationQuestion:rrv2'),
    responseChoice: asked.responseChoice.map((choice) => ({
      ...choice,
      id: world.newId('seekAnzPublicTest:applicationQuestionChoice:rrv2'),
    })),
  };
}

/** A question without identifiers of its own. */
type AskedQuestion = Omit<Question, 'id' | 'componentTypeCode' | 'responseChoice'> & {
  readonly responseChoice: readonly Omit<QuestionChoice, 'id'>[];
};

function readQuestion(
  { responseChoice, ...question }: ApplicationQuestionInput,
  field: string,
): AskedQuestion {
  const choices = responseChoice ?? [];
  const [min, max] = question.responseTypeCode === 'FreeText' ? [0, 0] : [CHOICES_MIN, CHOICES_MAX];
  if (choices.length < min || choices.length > max) {
    throw invalid(`${field}.responseChoice`, `must have from ${String(min)} to ${String(max)} members`);
  }
  for (const name of ['text', 'value'] as const) {
    assertDistinct(
      choices.map((choice) => choice[name]),
      `${field}.responseChoice`,
    );
  }
  return {
    ...question,
    libraryQuestionId: null,
    responseChoice: choices.map((choice) => ({
      ...choice,
      selectedIndicator: choice.preferredIndicator,
      libraryChoiceId: null,
    })),
  };
}

/** A question of the library. Of a range, everything from the lowest to the highest chosen answer is preferred. */
function readLibraryQuestion(
  { id, selectedResponseChoice }: ApplicationLibraryQuestionInput,
  field: string,
): AskedQuestion {
  const source = findLibraryQuestion(id);
  if (source === undefined) throw invalid(`${field}.id`, 'must identify a question of the library');
  const ids = source.responseChoice.map((choice) => choice.id);
  const places = (selectedResponseChoice ?? []).map((chosen) => ids.indexOf(chosen));
  const unknown = places.indexOf(-1);
  if (unknown !== -1) {
    throw invalid(`${field}.selectedResponseChoice[${String(unknown)}]`, `must be one of ${ids.join(', ')}`);
  }
  const isPreferred = (index: number): boolean =>
    source.preference === 'Range'
      ? index >= Math.min(...places) && index <= Math.max(...places)
      : places.includes(index);
  return {
    value: null,
    questionHtml: source.text,
    responseTypeCode: source.responseTypeCode,
    libraryQuestionId: source.id,
    responseChoice: source.responseChoice.map((choice, index) => ({
      text: choice.text,
      value: null,
      preferredIndicator: isPreferred(index),
      selectedIndicator: places.includes(index),
      libraryChoiceId: choice.id,
    })),
  };
}

/** Throws when two values are the same; undefined and null do not count. */
function assertDistinct(list: readonly (string | null | undefined)[], field: string): void {
  const given = list.filter((value) => value != null);
  if (new Set(given).size < given.length) throw invalid(field, 'must not repeat a value');
}
