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
  type Questionnaire,
  type QuestionnaireComponent,
  type QuestionChoice,
  type Submission,
} from '../../data/questionnaires/questionnaire-records.js';
import { assertHirer } from '../access.js';
import type { Context, RootFields } from '../context.js';
import { findObject, requireEach, requireObject } from '../find-object.js';
import { assertLength, onlyMember, readLimit } from '../input-checks.js';
import { hirerView } from '../organizations/organization-views.js';
import { assertScheme } from '../scheme.js';

/** ApplicationQuestionnaire of the schema. */
export function questionnaireView(questionnaire: Questionnaire): object {
  return {
    id: { value: questionnaire.id },
    hirer: (_args: unknown, { world }: Context) =>
      hirerView(requireObject(world.hirers, questionnaire.hirerId, 'hirer')),
    components: questionnaire.components.map(componentView),
  };
}

/** ApplicationQuestion or ApplicationPrivacyConsent of the schema. */
function componentView(component: QuestionnaireComponent): object {
  const { kind, id, value } = component;
  const common = { __typename: `Application${kind}`, componentTypeCode: kind, id: { value: id }, value };
  if (component.kind === 'Question') return { ...common, ...questionMembers(component) };
  const { descriptionHtml, privacyPolicyUrl } = component;
  return { ...common, descriptionHtml, privacyPolicyUrl: { url: privacyPolicyUrl } };
}

function questionMembers({ questionHtml, responseTypeCode, libraryQuestionId, choices }: Question): object {
  const source = libraryQuestionId === null ? undefined : findLibraryQuestion(libraryQuestionId);
  return {
    questionHtml,
    responseTypeCode,
    responseChoice: choices.length === 0 ? null : choices.map(choiceView),
    sourceCode: source === undefined ? 'Custom' : 'Library',
    applicationLibraryQuestion: source === undefined ? null : libraryQuestionView(source),
  };
}

function choiceView({ id, text, value, preferred, selected, libraryChoiceId }: QuestionChoice): object {
  return {
    id: { value: id },
    text,
    value,
    preferredIndicator: preferred,
    selectedIndicator: selected,
    applicationLibraryQuestionChoice:
      libraryChoiceId === null ? null : { id: { value: libraryChoiceId }, text },
  };
}

const PREFERENCES: Readonly<Record<LibraryQuestion['preference'], string>> = {
  SingleChoice: 'Only this answer is accepted',
  MultiChoice: 'Any of these answers is accepted',
  Range: 'Answers from the lowest to the highest are accepted',
};

function libraryQuestionView({ id, text, responseTypeCode, preference, choices }: LibraryQuestion): object {
  return {
    id: { value: id },
    text,
    responseTypeCode,
    preferenceSelection: { typeCode: preference, message: PREFERENCES[preference] },
    responseChoice: choices.map((choice) => ({ id: { value: choice.id }, text: choice.text })),
  };
}

/** ApplicationQuestionnaireSubmission of the schema. */
export function submissionView(submission: Submission, questionnaire: Questionnaire): object {
  return {
    questionnaire: questionnaireView(questionnaire),
    responses: questionnaire.components.flatMap((component) => {
      const answer = submission.answers.find(({ componentId }) => componentId === component.id);
      return answer === undefined ? [] : [responseView(component, answer)];
    }),
    score: totalScore(questionnaire, submission),
  };
}

function responseView(component: QuestionnaireComponent, answer: ComponentAnswer): object {
  const common = {
    __typename: `Application${component.kind}Response`,
    componentTypeCode: component.kind,
    component: componentView(component),
  };
  if (component.kind === 'PrivacyConsent') return { ...common, consentGivenIndicator: answer.isConsentGiven };
  const chosen = component.choices.filter(({ id }) => answer.choiceIds.includes(id));
  const answers =
    chosen.length > 0
      ? chosen.map((choice) => ({ answer: choice.text, choice: choiceView(choice) }))
      : answer.texts.map((text) => ({ answer: text, choice: null }));
  return { ...common, answers, score: scoreOf(component, answer) };
}

interface SuggestionArgs {
  readonly schemeId: string;
  readonly positionProfile: {
    readonly positionTitle: string;
    readonly positionLocation: readonly string[];
    readonly positionOrganizations: readonly string[];
    readonly jobCategories: readonly string[];
  };
  readonly first?: number | null;
}

/** Questions of the library, which belong to no hirer; a hirer's own questionnaires are never suggested. */
function suggestQuestions(
  { schemeId, positionProfile, first }: SuggestionArgs,
  { world }: Context,
): object[] {
  assertScheme(schemeId);
  const field = 'positionProfile';
  assertLength(positionProfile.positionTitle, 80, `${field}.positionTitle`);
  for (const member of ['positionLocation', 'positionOrganizations', 'jobCategories'] as const) {
    onlyMember(positionProfile[member], `${field}.${member}`);
  }
  requireEach(world.locations, positionProfile.positionLocation, `${field}.positionLocation`);
  requireEach(world.jobCategories, positionProfile.jobCategories, `${field}.jobCategories`);
  return [...LIBRARY_QUESTIONS.values()].slice(0, readLimit(first, 10)).map((question) => ({
    id: { value: suggestionId(question) },
    applicationLibraryQuestion: libraryQuestionView(question),
  }));
}

/** Queries for questionnaires, and for questions to put into them. */
export const questionnaireQueries: RootFields = {
  applicationQuestionnaire: ({ id }: { id: string }, context) => {
    const questionnaire = findObject(context.world.questionnaires, id, context);
    if (questionnaire === null) return null;
    assertHirer(questionnaire.hirerId, context);
    return questionnaireView(questionnaire);
  },
  applicationLibraryQuestionSuggestions: suggestQuestions,
};
