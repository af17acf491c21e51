import type { Question, Questionnaire } from '../../data/records.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import type { RootFields } from '../root-fields.js';
import { questionnaireView } from '../views/advertising-views.js';
import { assertOneOf } from '../views/ontology-views.js';
import { assertStateful } from './assert-stateful.js';

const INPUT_BYTES_MAX = 56 * 1024;

interface QuestionInput {
  readonly value?: string | null;
  readonly questionHtml: string;
  readonly responseTypeCode: string;
  readonly responseChoice?:
    | readonly {
        readonly text: string;
        readonly value?: string | null;
        readonly preferredIndicator: boolean;
      }[]
    | null;
}

interface CreateInput {
  readonly applicationQuestionnaire: {
    readonly hirerId: string;
    readonly components: readonly QuestionInput[];
  };
}

function create({ input }: { input: CreateInput }, context: Context): object {
  const { hirerId, components } = input.applicationQuestionnaire;
  if (Buffer.byteLength(JSON.stringify(input)) > INPUT_BYTES_MAX) {
    throw graphqlError('BAD_USER_INPUT', 'A questionnaire may have at most 56 KiB.');
  }
  assertHirer(hirerId, context);
  if (components.length === 0) {
    throw graphqlError('BAD_USER_INPUT', 'A questionnaire needs at least one question.');
  }
  const questions = components.map((component) => readQuestion(component, context));
  assertStateful(context);
  const { world } = context;
  const questionnaire: Questionnaire = {
    id: world.newId('seekAnzPublicTest:applicationQuestionnaire:rrv2'),
    hirerId,
    questions,
  };
  world.questionnaires.set(questionnaire.id, questionnaire);
  return { applicationQuestionnaire: questionnaireView(questionnaire) };
}

function readQuestion(question: QuestionInput, { world }: Context): Question {
  const { questionHtml, responseTypeCode, responseChoice, value } = question;
  assertOneOf(responseTypeCode, ['FreeText', 'SingleSelect', 'MultiSelect'], 'responseTypeCode');
  const choices = responseChoice ?? [];
  if ((responseTypeCode === 'FreeText') !== (choices.length === 0)) {
    throw graphqlError('BAD_USER_INPUT', 'SingleSelect and MultiSelect have choices; FreeText has none.');
  }
  return {
    id: world.newId('seekAnzPublicTest:applicationQuestion:rrv2'),
    value: value ?? null,
    questionHtml,
    responseTypeCode,
    choices: choices.map(({ text, value: choiceValue, preferredIndicator }) => ({
      id: world.newId('seekAnzPublicTest:applicationQuestionChoice:rrv2'),
      text,
      value: choiceValue ?? null,
      preferred: preferredIndicator,
    })),
  };
}

/** The mutation that creates a questionnaire. */
export const questionnaireMutations: RootFields = { createApplicationQuestionnaire: create };
