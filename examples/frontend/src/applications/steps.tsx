import { request, type Bff } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useState, type FormEvent } from 'react';
import { STAGES, wordsOf } from '../codes.ts';
import { CandidateProcessHistoryDocument, RecordApplicationStepDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { Select, TextArea } from '../page/field.tsx';
import { useAction, useLoaded } from '../page/use-loaded.ts';
import { usePlace, type Place } from '../place.ts';
import { adIdOf, timeOf, type ApplicationProfile } from './use-arrivals.ts';

const STEPS_MAX = 20;
const NOTE_CHARACTERS_MAX = 900; // of 1,000 with the stage in front

/** How far an application has come, and moving it along. */
export function Steps({ profile }: { profile: ApplicationProfile }) {
  const id = profile.profileId.value;
  const { data, error, isLoading, reload } = useLoaded((bff, signal) => readSteps(bff, id, signal), [id]);
  return (
    <section aria-labelledby="steps" className="stack">
      <h2 id="steps">Hiring stage</h2>
      {isLoading && !data && <p role="status">Loading…</p>}
      <Fault error={error} onRetry={reload} />
      <strong>{data && wordsOf(data.at(-1)?.status?.code ?? 'Application')}</strong>
      <ol className="list">
        {data?.map((step) => (
          <StepItem key={step.id.value} step={step} />
        ))}
      </ol>
      <StepForm profile={profile} onRecorded={reload} />
    </section>
  );
}

type Step = Awaited<ReturnType<typeof readSteps>>[number];

/** The steps so far, the earliest first. */
async function readSteps(bff: Bff, id: string, signal: AbortSignal) {
  const query = { query: CandidateProcessHistoryDocument, variables: { id, first: STEPS_MAX } };
  const { candidateProfile } = await request(bff, query, { signal });
  const edges = candidateProfile?.seekProcessHistory?.edges ?? [];
  return edges.map(({ node }) => node).sort((a, b) => a.actionDate.localeCompare(b.actionDate));
}

function StepItem({ step: { action, actionDate, status, primaryParties } }: { step: Step }) {
  const [party] = primaryParties;
  const who = party?.person?.name.formattedName ?? party?.organization?.name;
  return (
    <li>
      {status ? wordsOf(status.code) : action.name}
      <small>{[timeOf(actionDate), who].filter(Boolean).join(' · ')}</small>
      {action.description && action.description !== status?.code && <small>{action.description}</small>}
    </li>
  );
}

/** The next stage, and a note that is kept in this field only until it is sent. */
function StepForm({ profile, onRecorded }: { profile: ApplicationProfile; onRecorded: () => void }) {
  const bff = useBff();
  const place = usePlace();
  const { isPending, error, run } = useAction();
  const [step, setStep] = useState(() => newStep(STAGES[0]!));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run(async () => {
      await record(bff, profile, step, place);
      setStep(newStep(STAGES[STAGES.indexOf(step.stage) + 1] ?? step.stage));
      onRecorded();
    });
  };
  return (
    <form onSubmit={submit} className="stack">
      <Select
        label="Next stage"
        value={step.stage}
        options={STAGES.map((code) => [code, wordsOf(code)])}
        onChange={({ target }) => setStep({ ...step, stage: target.value })}
      />
      <TextArea
        label="Note (optional)"
        rows={2}
        maxLength={NOTE_CHARACTERS_MAX}
        value={step.note}
        onChange={({ target }) => setStep({ ...step, note: target.value })}
      />
      <Fault error={error} isHere />
      <button className="main" disabled={isPending}>
        {isPending ? 'Saving…' : 'Move to this stage'}
      </button>
    </form>
  );
}

/** A step with an identifier of its own, which stays the same for each attempt to record it. */
const newStep = (stage: string) => ({ idempotencyId: crypto.randomUUID(), stage, note: '' });

/** Records a step; a repeat with the same identifier answers the first one. */
async function record(
  bff: Bff,
  profile: ApplicationProfile,
  { idempotencyId, stage, note }: ReturnType<typeof newStep>,
  { hirer, user }: Place,
): Promise<void> {
  const adId = adIdOf(profile);
  const party = {
    organization: { name: hirer.name ?? hirer.hirerId },
    person: { name: { formattedName: user.name }, communication: { email: [], phone: [] } },
  };
  const candidateProcessHistoryItem = {
    idempotencyId,
    actionDate: new Date().toISOString(),
    action: { code: 'StatusChange', name: 'Status change', description: note.trim() || stage },
    status: { code: stage },
    primaryParties: [party],
    seekSource: { name: 'Example frontend' },
    ...(adId !== undefined && { positionProfile: { profileId: adId } }),
  };
  const input = { candidateProfile: { profileId: profile.profileId.value }, candidateProcessHistoryItem };
  await request(bff, { query: RecordApplicationStepDocument, variables: { input } });
}
