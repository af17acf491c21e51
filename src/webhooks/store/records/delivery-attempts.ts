import { clip } from '../../../errors/clip.js';

/** Attempts that the store keeps of an event at each sink, the latest. */
const ATTEMPTS_KEPT = 10;
const TEXT_CHARACTERS_MAX = 200;
const ERRORS_MAX = 5;
const PATH_MAX = 10;

/** What became of an attempt: as in the metrics, or `cancelled` by a stop of the service. */
export type AttemptOutcome = 'delivered' | 'failed' | 'dead' | 'cancelled';

/** What went along as the object of an event; nothing of the object itself. */
export interface AttemptedObject {
  /** The operation that was run; absent where none was. */
  readonly operation?: string | undefined;
  /** `without`: the event went without its object, and `errors` says why. */
  readonly state: 'whole' | 'partial' | 'null' | 'without';
  readonly errors: readonly { readonly code: string; readonly path?: readonly (string | number)[] }[];
}

/** One attempt to deliver an event, as the store keeps it. */
export interface DeliveryAttempt {
  /** When it began, epoch milliseconds. */
  readonly time: number;
  readonly ms: number;
  /** The sink. */
  readonly target: string;
  readonly outcome: AttemptOutcome;
  /** Of the answer; absent without one. */
  readonly status?: number | undefined;
  /** How the answer begins: a stranger's text, without control characters. */
  readonly answer?: string | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
  /** Absent where none goes with the event. */
  readonly object?: AttemptedObject | undefined;
}

/** The history with one more attempt, as the store keeps it. */
export function appendAttempt(history: string | null, attempt: DeliveryAttempt): string {
  return JSON.stringify([...readAttempts(history), bounded(attempt)].slice(-ATTEMPTS_KEPT));
}

/** The attempts of a history, the earliest first. */
export function readAttempts(history: string | null | undefined): readonly DeliveryAttempt[] {
  return history ? (JSON.parse(history) as DeliveryAttempt[]) : [];
}

function bounded(attempt: DeliveryAttempt): DeliveryAttempt {
  const { answer, reason, object } = attempt;
  return {
    ...attempt,
    answer: answer && shortLine(answer),
    reason: reason && shortLine(reason),
    object: object && { ...object, errors: object.errors.slice(0, ERRORS_MAX).map(boundedError) },
  };
}

function boundedError({ code, path }: AttemptedObject['errors'][number]): AttemptedObject['errors'][number] {
  const steps = path
    ?.slice(0, PATH_MAX)
    .map((step) => (typeof step === 'string' ? clip(shortLine(step)) : step));
  return { code: clip(shortLine(code)), ...(steps && { path: steps }) };
}

/** One line that every database can hold. */
function shortLine(text: string): string {
  const line = text
    .slice(0, 2 * TEXT_CHARACTERS_MAX)
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return line.length <= TEXT_CHARACTERS_MAX ? line : `${line.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…`;
}
