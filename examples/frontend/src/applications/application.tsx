import { textOfHtml } from '../ads/html.ts';
import { ApplicationDocument, CandidateDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { usePlace, type View } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import { Attachment } from './attachment.tsx';
import { Steps } from './steps.tsx';
import type { ApplicationProfile } from './use-arrivals.ts';

/** One application: who it is, what was answered and sent, and how far it has come. */
export function Application({ id, back }: { id: string; back: View }) {
  const { t } = useTexts();
  const { go } = usePlace();
  const query = { query: ApplicationDocument, variables: { id } };
  const { data, error, isLoading, reload } = useQuery(query, [id]);
  const profile = data?.candidateProfile;
  return (
    <>
      <button className="back" onClick={() => go(back)}>
        ← {t('back')}
      </button>
      {isLoading && !profile && <p role="status">{t('loading')}</p>}
      <Fault error={error} onRetry={reload} />
      {data && !profile && <p className="soft">{t('applicationIsGone')}</p>}
      {profile && (
        <div className="columns">
          <Person profile={profile} back={back} />
          <div className="stack">
            <Steps profile={profile} />
            <Answers profile={profile} />
          </div>
        </div>
      )}
    </>
  );
}

function Person({ profile, back }: { profile: ApplicationProfile; back: View }) {
  const { t, language } = useTexts();
  const { name, communication } = profile.candidate.person;
  const ad = profile.associatedPositionProfile;
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' });
  const contacts = [
    ...communication.email.map(({ address }) => address),
    ...communication.phone.map(({ formattedNumber }) => formattedNumber),
    ...communication.address.map(({ formattedAddress }) => formattedAddress),
  ];
  return (
    <section aria-labelledby="person" className="stack">
      <h2 id="person">{name.formattedName}</h2>
      <p className="soft">
        {[ad?.positionTitle, when.format(new Date(profile.createDateTime))].filter(Boolean).join(', ')}
      </p>
      <ul className="lines">{contacts.map((text) => text && <li key={text}>{text}</li>)}</ul>
      <h3>{t('files')}</h3>
      {profile.attachments.length === 0 && <p className="soft">{t('none')}</p>}
      {profile.attachments.map((attachment) => (
        <Attachment key={attachment.id.value} attachment={attachment} />
      ))}
      <OtherProfiles profile={profile} back={back} />
    </section>
  );
}

function Answers({ profile: { seekQuestionnaireSubmission: submission } }: { profile: ApplicationProfile }) {
  const { t } = useTexts();
  if (!submission) return null;
  return (
    <section aria-labelledby="answers" className="stack">
      <h2 id="answers">{t('answers')}</h2>
      {submission.score !== null && <p className="soft">{t('score', { score: submission.score })}</p>}
      <dl>
        {submission.responses.map((response, at) => (
          <div key={at}>
            {response.__typename === 'ApplicationQuestionResponse' ? (
              <>
                <dt>{textOfHtml(response.component.questionHtml)}</dt>
                <dd>{response.answers.map(({ answer }) => answer).join(', ')}</dd>
              </>
            ) : (
              <>
                <dt>{t('privacyConsent')}</dt>
                <dd>{t(response.consentGivenIndicator ? 'yes' : 'no')}</dd>
              </>
            )}
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The other profiles of the same person for this hirer, told apart by where they come from, for what, and when. */
function OtherProfiles({ profile, back }: { profile: ApplicationProfile; back: View }) {
  const { t, language } = useTexts();
  const { go } = usePlace();
  const id = profile.candidate.documentId.value;
  const { data, error, reload } = useQuery({ query: CandidateDocument, variables: { id } }, [id]);
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const others = (data?.candidate?.profiles ?? []).filter(
    ({ profileId }) => profileId.value !== profile.profileId.value,
  );
  return (
    <>
      <Fault error={error} onRetry={reload} />
      {others.length > 0 && <h3>{t('otherProfiles')}</h3>}
      <ul className="list">
        {others.map(({ profileId, createDateTime, candidateSources, associatedPositionProfile: ad }) => {
          const source = codeText(t, 'source', candidateSources[0]?.type ?? '');
          const facts = [source, ad?.positionTitle, when.format(new Date(createDateTime))];
          const open = () => go({ name: 'application', id: profileId.value, back });
          const text = facts.filter(Boolean).join(' · ');
          return (
            <li key={profileId.value}>
              {ad ? (
                <button className="row" onClick={open}>
                  {text}
                </button>
              ) : (
                text
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
