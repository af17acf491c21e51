import { request } from 'partner-bff-client';
import { textOfHtml } from '../ads/html.ts';
import { ApplicationDocument, CandidateDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useLoaded } from '../page/use-loaded.ts';
import { usePlace, type View } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import { Attachment } from './attachment.tsx';
import { Steps } from './steps.tsx';
import type { ApplicationProfile } from './use-arrivals.ts';

/** One application: who it is, what was answered and sent, and how far it has come. */
export function Application({ id, back }: { id: string; back: View }) {
  const { t } = useTexts();
  const { go } = usePlace();
  const { data, error, isLoading, reload } = useLoaded(
    (bff, signal) => request(bff, { query: ApplicationDocument, variables: { id } }, { signal }),
    [id],
  );
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
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' });
  const contacts = [
    ...communication.email.map(({ address }) => address),
    ...communication.phone.map(({ formattedNumber }) => formattedNumber),
    ...communication.address.map(({ formattedAddress }) => formattedAddress),
  ].filter(Boolean);
  return (
    <section aria-labelledby="person" className="stack">
      <h2 id="person">{name.formattedName}</h2>
      <p className="soft">
        {t('appliedFor', {
          title: profile.associatedPositionProfile?.positionTitle ?? '',
          date: when.format(new Date(profile.createDateTime)),
        })}
      </p>
      <p>{contacts.join(' · ')}</p>
      <h3>{t('files')}</h3>
      {profile.attachments.length === 0 && <p className="soft">{t('noFiles')}</p>}
      {profile.attachments.map((attachment) => (
        <Attachment key={attachment.id.value} attachment={attachment} />
      ))}
      <Career profile={profile} />
      <OtherProfiles profile={profile} back={back} />
    </section>
  );
}

function Career({ profile: { employment, education, qualifications } }: { profile: ApplicationProfile }) {
  const { t } = useTexts();
  const jobs = employment.flatMap(({ organization, positionHistories }) =>
    positionHistories.map(({ title, start, end }) => [title, organization.name, spanOf(start, end)]),
  );
  const schools = education.map(({ institution, educationDegrees }) => [
    educationDegrees[0]?.name,
    institution?.name,
    educationDegrees[0]?.date,
  ]);
  const skills = qualifications.map(({ competencyName }) => competencyName);
  return (
    <>
      <Lines title={t('career')} lines={jobs} />
      <Lines title={t('education')} lines={schools} />
      <Lines title={t('skills')} lines={skills.length > 0 ? [skills] : []} />
    </>
  );
}

function Lines({
  title,
  lines,
}: {
  title: string;
  lines: readonly (readonly (string | null | undefined)[])[];
}) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((parts, at) => (
          <li key={at}>{parts.filter(Boolean).join(', ')}</li>
        ))}
      </ul>
    </>
  );
}

function spanOf(start: string | null, end: string | null): string {
  return start === null && end === null ? '' : `${start ?? ''}–${end ?? ''}`;
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
  const { data, error, reload } = useLoaded(
    (bff, signal) => request(bff, { query: CandidateDocument, variables: { id } }, { signal }),
    [id],
  );
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
          const source = candidateSources[0]?.type ?? '';
          const text = [
            codeText(t, 'source', source),
            ad?.positionTitle,
            when.format(new Date(createDateTime)),
          ]
            .filter(Boolean)
            .join(' · ');
          return (
            <li key={profileId.value}>
              {ad ? (
                <button
                  className="row"
                  onClick={() => go({ name: 'application', id: profileId.value, back })}
                >
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
