import { request, type Bff } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useState } from 'react';
import { CandidateProcessHistoryDocument, RecordApplicationStepDocument } from '../operations.ts';
import { useLoaded } from '../page/use-loaded.ts';
import { usePlace, type Place } from '../place.ts';
import { adIdOf, type ApplicationProfile } from './use-arrivals.ts';

const STEPS_MAX = 20;

/** A step that the upstream has. */
export type RecordedStep = Awaited<ReturnType<typeof readSteps>>[number];

/** A step that the user has taken and the server has not confirmed. */
export interface Pending {
  readonly id: string;
  readonly statusCode: string;
  readonly note: string;
  readonly error?: unknown;
}

/** The steps of an application, those that are under way included, and how one is taken. */
export function useSteps(profile: ApplicationProfile) {
  const bff = useBff();
  const place = usePlace();
  const id = profile.profileId.value;
  const { reload, ...recorded } = useLoaded((session, signal) => readSteps(session, id, signal), [id]);
  const [pending, setPending] = useState<readonly Pending[]>([]);
  const change = (step: Pending, next?: Pending) =>
    setPending((last) => [...last.filter((other) => other.id !== step.id), ...(next ? [next] : [])]);

  /** The step shows at once. */
  const attempt = async (step: Pending) => {
    change(step, { ...step, error: undefined });
    try {
      await record(bff, profile, step, place);
      reload();
      change(step);
    } catch (fault) {
      change(step, { ...step, error: fault });
    }
  };
  const dismiss = (step: Pending) => {
    change(step);
    reload(); // it may have arrived: then it shows
  };
  return { ...recorded, reload, pending, send: (step: Pending) => void attempt(step), dismiss };
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

/** Records a step; a repeat with the same identifier answers the first one. */
async function record(
  bff: Bff,
  profile: ApplicationProfile,
  { id, statusCode, note }: Pending,
  { hirer, user }: Place,
): Promise<void> {
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
  await request(bff, { query: RecordApplicationStepDocument, variables: { input } });
}
