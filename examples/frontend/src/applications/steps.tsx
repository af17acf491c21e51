import { useState, type FormEvent } from 'react';
import { Fault } from '../page/fault.tsx';
import { Select, TextInput } from '../page/field.tsx';
import { codeText, useTexts } from '../texts.ts';
import type { ApplicationProfile } from './use-arrivals.ts';
import { useSteps, type Pending, type RecordedStep } from './use-steps.ts';

/** The states of a hiring process that the upstream knows, in the order in which they usually come. */
const STATUSES = [
  'Application',
  'HirerShortlist',
  'Interview',
  'TestingOrQualificationsCheck',
  'ReferenceCheck',
  'Offer',
  'Successful',
  'Unsuccessful',
];
const NOTE_CHARACTERS_MAX = 900; // of 1,000 with the state in front

/** How far an application has come, and moving it along. */
export function Steps({ profile }: { profile: ApplicationProfile }) {
  const { t } = useTexts();
  const { data, error, isLoading, reload, pending, send, dismiss } = useSteps(profile);
  const latest = pending.at(-1)?.statusCode ?? data?.at(-1)?.status?.code ?? 'Application';
  return (
    <section aria-labelledby="steps" className="stack">
      <h2 id="steps">{t('process')}</h2>
      <p>
        <strong>{codeText(t, 'status', latest)}</strong>
      </p>
      {isLoading && !data && <p role="status">{t('loading')}</p>}
      <Fault error={error} onRetry={reload} />
      <ol className="list">
        {data?.map((step) => (
          <Step key={step.id.value} step={step} />
        ))}
        {pending.map((step) => (
          <li key={step.id}>
            {codeText(t, 'status', step.statusCode)} <small>{step.note}</small>
            {step.error === undefined ? (
              <small role="status">{t('saving')}</small>
            ) : (
              <>
                <Fault error={step.error} isHere onRetry={() => send(step)} />
                <button onClick={() => dismiss(step)}>{t('dismiss')}</button>
              </>
            )}
          </li>
        ))}
      </ol>
      <StepForm onStep={send} />
    </section>
  );
}

function Step({ step: { action, actionDate, status, primaryParties } }: { step: RecordedStep }) {
  const { t, language } = useTexts();
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const [party] = primaryParties;
  const who = party?.person?.name.formattedName ?? party?.organization?.name;
  return (
    <li>
      {status ? codeText(t, 'status', status.code) : action.name}
      <small>{[when.format(new Date(actionDate)), who].filter(Boolean).join(' · ')}</small>
      {action.description && action.description !== status?.code && <small>{action.description}</small>}
    </li>
  );
}

/** The next state, and a note that is kept in this field only until it is sent. */
function StepForm({ onStep }: { onStep: (step: Pending) => void }) {
  const { t } = useTexts();
  const [statusCode, setStatusCode] = useState('HirerShortlist');
  const [note, setNote] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStep({ id: crypto.randomUUID(), statusCode, note: note.trim().slice(0, NOTE_CHARACTERS_MAX) });
    setStatusCode(STATUSES[STATUSES.indexOf(statusCode) + 1] ?? statusCode);
    setNote('');
  };
  return (
    <form onSubmit={submit} className="stack">
      <Select
        label="nextStep"
        value={statusCode}
        options={STATUSES.map((code) => [code, codeText(t, 'status', code)])}
        onChange={setStatusCode}
      />
      <TextInput label="note" rows={2} value={note} onChange={setNote} />
      <button className="main">{t('move')}</button>
    </form>
  );
}
