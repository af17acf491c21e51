import {
  findLibraryQuestion,
  LIBRARY_QUESTIONS,
  suggestionId,
  type LibraryQuestion,
} from '../../data/questionnaires/library-questions.js';
import {
  scoreOf,
  totalScore,
  type ComponentAnswer,
  type Question,
  type QuestionnaireComponent,
  type QuestionChoice,
  type Submission,
} from '../../data/questionnaires/questionnaire-records.js';
import type { TypeFields } from '../context.js';
import { objectById } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';

const PREFERENCES: Readonly<Record<LibraryQuestion['preference'], string>> = {
  SingleChoice: 'Only this answer is accepted',
  MultiChoice: 'Any of these answers is accepted',
  Range: 'Answers from the lowest to the highest are accepted',
};

/** An answer with the component that it is for. */
interface Response extends ComponentAnswer {
  readonly component: QuestionnaireComponent;
}

function answersOf({ component, texts, choiceIds }: Response): object[] {
  const choices = component.componentTypeCode === 'Question' ? component.responseChoice : [];
  const chosen = choices.filter(({ id }) => choiceIds.includes(id));
  return chosen.length > 0
    ? chosen.map((choice) => ({ answer: choice.text, choice }))
    : texts.map((answer) => ({ answer, choice: null }));
}

const TYPES: TypeFields = {
  ApplicationQuestionnaireComponent: {
    __typename: ({ componentTypeCode }: QuestionnaireComponent) => `Application${componentTypeCode}`,
  },
  ApplicationQuestion: {
    responseChoice: ({ responseChoice }: Question) => (responseChoice.length === 0 ? null : responseChoice),
    sourceCode: ({ libraryQuestionId }: Question) => (libraryQuestionId === null ? 'Custom' : 'Library'),
    applicationLibraryQuestion: ({ libraryQuestionId }: Question) =>
      findLibraryQuestion(libraryQuestionId ?? '') ?? null,
  },
  ApplicationQuestionChoice: {
    applicationLibraryQuestionChoice: ({ libraryChoiceId: id, text }: QuestionChoice) =>
      id === null ? null : { id, text },
  },
  ApplicationLibraryQuestion: {
    preferenceSelection: ({ preference: typeCode }: LibraryQuestion) => ({
      typeCode,
      message: PREFERENCES[typeCode],
    }),
  },
  ApplicationQuestionnaireSubmission: {
    questionnaire: ({ questionnaireId }: Submission, _args: unknown, { world }) =>
      world.questionnaires.get(questionnaireId),
    responses: ({ questionnaireId, answers }: Submission, _args: unknown, { world }) =>
      world.questionnaires.get(questionnaireId)?.components.flatMap((component) => {
        const answer = answers.find(({ componentId }) => componentId === component.id);
        return answer === undefined
          ? []
          : [{ ...answer, component, componentTypeCode: component.componentTypeCode }];
      }),
    score: (submission: Submission, _args: unknown, { world }) =>
      totalScore(world.questionnaires.get(submission.questionnaireId)!, submission),
  },
  ApplicationQuestionnaireComponentResponse: {
    __typename: ({ component }: Response) => `Application${component.componentTypeCode}Response`,
  },
  ApplicationQuestionResponse: {
    answers: answersOf,
    score: (response: Response) => scoreOf(response.component as Question, response),
  },
  ApplicationPrivacyConsentResponse: {
    consentGivenIndicator: ({ isConsentGiven }: Response) => isConsentGiven,
  },
};

/** Questionnaires, the answers to them, and questions to put into them, which belong to no hirer. */
export const questionnaires: Resolvers = {
  types: TYPES,
  Query: {
    applicationQuestionnaire: objectById('questionnaires'),
    applicationLibraryQuestionSuggestions: ({ first }) =>
      [...LIBRARY_QUESTIONS.values()].slice(0, first ?? 10).map((question) => ({
        id: suggestionId(question),
        applicationLibraryQuestion: question,
      })),
  },
};
