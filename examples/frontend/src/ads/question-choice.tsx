import { ApplicationLibraryQuestionSuggestionsDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { useTexts } from '../texts.ts';
import { SCHEME_ID } from './lookups.ts';
import type { FormPart, Subject } from './draft.ts';

/** The most that the upstream suggests. */
const QUESTIONS_MAX = 10;

/** Questions of the upstream's library that suit the ad. */
export function QuestionChoice({ draft, set, subject }: FormPart & { subject: Subject | undefined }) {
  const { t } = useTexts();
  const variables = subject && { schemeId: SCHEME_ID, positionProfile: subject, first: QUESTIONS_MAX };
  const { data, error, isLoading, reload } = useQuery(
    variables && { query: ApplicationLibraryQuestionSuggestionsDocument, variables },
    [subject === undefined],
    subject,
  );
  const chosen = new Set(draft.questionIds);
  const toggle = (id: string) => {
    const questionIds = chosen.has(id)
      ? draft.questionIds.filter((other) => other !== id)
      : [...draft.questionIds, id];
    set({ questionIds, questionnaireId: undefined }); // another choice is another questionnaire
  };
  if (!subject) return <p className="soft">{t('adFirst')}</p>;
  return (
    <>
      {isLoading && !data && <p role="status">{t('loading')}</p>}
      <Fault error={error} onRetry={reload} />
      {data?.applicationLibraryQuestionSuggestions.map(
        ({ id, applicationLibraryQuestion: { text, responseChoice } }) => (
          <label key={id.value} className="option">
            <input type="checkbox" checked={chosen.has(id.value)} onChange={() => toggle(id.value)} />
            <span>
              {text}
              <small>{responseChoice?.map((choice) => choice.text).join(' · ')}</small>
            </span>
          </label>
        ),
      )}
    </>
  );
}
