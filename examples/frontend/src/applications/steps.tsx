import { request, type Bff } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useState, type FormEvent } from 'react';
import {
  CandidateProcessHistoryDocument,
  DeleteApplicationStepDocument,
  RecordApplicationStepDocument,
} from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { Select, TextInput } from '../page/field.tsx';
import { useLoaded } from '../page/use-loaded.ts';
import { usePlace, type Place } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import { adIdOf, type ApplicationProfile } from './use-arrivals.ts';

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
const STEPS_MAX = 20;
const NOTE_CHARACTERS_MAX = 900; // of 1,000 with the state in front

/** A step that the user has taken and the server has not confirmed. */
interface Pending {
  readonly id: string;
  readonly statusCode: string;
  readonly note: string;
  readonly error?: unknown;
}

/** How far an application has come, and moving it along. */
export function Steps({ profile }: { profile: ApplicationProfile }) {
  const { t } = useTexts();
  const bff = useBff();
  const place = usePlace();
  const id = profile.profileId.value;
  const { data, error, isLoading, reload } = useLoaded(
    (session, signal) => readSteps(session, id, signal),
    [id],
  );
  const [pending, setPending] = useState<readonly Pending[]>([]);
  const [undone] = useState(() => new Set<string>());
  const [undoError, setUndoError] = useState<unknown>();
  const change = (step: Pending, next?: Pending) =>
    setPending((last) => [...last.filter((other) => other.id !== step.id), ...(next ? [next] : [])]);

  /** The step shows at once; until the server has answered, undoing it takes it back as soon as that is possible. */
  const send = async (step: Pending) => {
    change(step, { ...step, error: undefined });
    setUndoError(undefined);
    try {
      const recorded = await record(bff, profile, step, place);
      if (undone.has(step.id)) await takeBack(bff, recorded).catch(setUndoError);
      reload();
      change(step);
    } catch (fault) {
      change(step, undone.has(step.id) ? undefined : { ...step, error: fault });
    }
  };
  const undo = (step: Pending) => {
    undone.add(step.id);
    change(step);
    if (step.error !== undefined) reload(); // it may have arrived: then it shows
  };
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
              <span role="status" className="bar">
                <small>{t('saving')}</small>
                <button onClick={() => undo(step)}>{t('undo')}</button>
              </span>
            ) : (
              <>
                <Fault error={step.error} isHere onRetry={() => void send(step)} />
                <button onClick={() => undo(step)}>{t('dismiss')}</button>
              </>
            )}
          </li>
        ))}
      </ol>
      <Fault error={undoError} isHere />
      <StepForm onStep={(step) => void send(step)} />
    </section>
  );
}

type RecordedStep = Awaited<ReturnType<typeof readSteps>>[number];

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

/** The steps so far, the earliest first. */
async function readSteps(bff: Bff, id: string, signal: AbortSignal) {
  const variables = { id, first: STEPS_MAX };
  const query = { query: CandidateProcessHistoryDocument, variables };
  const { candidateProfile } = await request(bff, query, { signal });
  return (candidateProfile?.seekProcessHistory?.edges ?? [])
    .map(({ node }) => node)
    .sort((a, b) => Date.parse(a.actionDate) - Date.parse(b.actionDate));
}

/** Records a step; a repeat with the same identifier answers the first one. Returns its identifier at the upstream. */
async function record(
  bff: Bff,
  profile: ApplicationProfile,
  { id, statusCode, note }: Pending,
  { hirer, user }: Place,
): Promise<string> {
  const adId = adIdOf(profile);
  const party = {
    organization: { name: hirer.name ?? hirer.hirerId },
    person: { name: { formattedName: user.name }, communication: { email: [], phone: [] } },
  };
  const candidateProcessHistoryItem = {
    idempotencyId: id,
    actionDate: new Date().toISOString(),
    action: { code: 'StatusChange', name: 'Status change', description: note || statusCode },
    status: { code: statusCode },
    primaryParties: [party],
    seekSource: { name: 'Example frontend' },
    ...(adId !== undefined && { positionProfile: { profileId: adId } }),
  };
  const input = { candidateProfile: { profileId: profile.profileId.value }, candidateProcessHistoryItem };
  const { createCandidateProcessHistoryItem: answer } = await request(bff, {
    query: RecordApplicationStepDocument,
    variables: { input },
  });
  return answer.__typename === 'CreateCandidateProcessHistoryItemPayload_Success'
    ? answer.candidateProcessHistoryItem.id.value
    : answer.conflictingCandidateProcessHistoryItem.id.value;
}

async function takeBack(bff: Bff, id: string): Promise<void> {
  const variables = { input: { candidateProcessHistoryItem: { id } } };
  await request(bff, { query: DeleteApplicationStepDocument, variables });
}
