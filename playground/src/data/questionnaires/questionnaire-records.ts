/** An answer that a question offers. */
export interface QuestionChoice {
  readonly id: string;
  readonly text: string;
  readonly value: string | null;
  /** True if it scores. */
  readonly preferredIndicator: boolean;
  /** True if the hirer selected it. */
  readonly selectedIndicator: boolean;
  readonly libraryChoiceId: string | null;
}

/** One question of a questionnaire; a question with a free answer has no choices. */
export interface Question {
  readonly componentTypeCode: 'Question';
  readonly id: string;
  readonly value: string | null;
  readonly questionHtml: string;
  readonly responseTypeCode: string;
  readonly libraryQuestionId: string | null;
  readonly responseChoice: readonly QuestionChoice[];
}

/** Asks whether an applicant accepts a privacy policy. */
export interface PrivacyConsent {
  readonly componentTypeCode: 'PrivacyConsent';
  readonly id: string;
  readonly value: string | null;
  readonly descriptionHtml: string | null;
  readonly privacyPolicyUrl: { readonly url: string };
}

/** One part of a questionnaire. */
export type QuestionnaireComponent = Question | PrivacyConsent;

/** The questions that a position asks its applicants. */
export interface Questionnaire {
  readonly id: string;
  readonly hirerId: string;
  readonly components: readonly QuestionnaireComponent[];
}

/** An applicant's answer to one component; the texts are those of the choices, if there are any. */
export interface ComponentAnswer {
  readonly componentId: string;
  readonly texts: readonly string[];
  readonly choiceIds: readonly string[];
  /** For a privacy consent. */
  readonly isConsentGiven: boolean;
}

/** An applicant's answers to a whole questionnaire. */
export interface Submission {
  readonly questionnaireId: string;
  readonly answers: readonly ComponentAnswer[];
}

/**
 * How well an answer meets the hirer's preferences: 0 or 1 for a single choice, the share of the preferred answers for
 * several, null where nothing scores.
 */
export function scoreOf(question: Question, { choiceIds }: ComponentAnswer): number | null {
  const preferred = question.responseChoice.filter((choice) => choice.preferredIndicator);
  if (preferred.length === 0) return null;
  const hits = preferred.filter(({ id }) => choiceIds.includes(id)).length;
  return question.responseTypeCode === 'SingleSelect' ? Math.min(hits, 1) : hits / preferred.length;
}

/** The mean of the scores of a submission; null where nothing scores. */
export function totalScore({ components }: Questionnaire, { answers }: Submission): number | null {
  const scores = components.flatMap((component) => {
    const answer = answers.find(({ componentId }) => componentId === component.id);
    const score =
      component.componentTypeCode === 'Question' && answer !== undefined ? scoreOf(component, answer) : null;
    return score === null ? [] : [score];
  });
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
