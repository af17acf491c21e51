import { BffError } from '../../errors/bff-error.js';
import { ERROR_CODES } from '../../errors/error-codes.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { isObject } from '../../json/parse-json.js';
import { sliceMembers } from '../../json/slices.js';
import type { GraphqlResult, Outcome } from '../../operations/transport/graphql-result.js';
import { codeOf, RATE_LIMITED, REFUSAL_CODES } from '../../upstream/upstream-answer.js';

/**
 * Why a part of an event's object is missing, without text of the upstream: a code as on `/graphql` (docs/errors.md) or
 * the upstream's own.
 */
export interface ObjectError {
  readonly code: string;
  readonly path?: readonly (string | number)[];
}

/** The values of an event's members `object` and `objectErrors`. */
export interface DeliveredObject {
  /** JSON; undefined if the event is sent without. */
  readonly object: string | undefined;
  readonly errors: readonly ObjectError[];
}

export type ObjectOutcome =
  | ({ readonly kind: 'settled' } & DeliveredObject)
  /** The delivery waits: the upstream may answer later. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly pauseMs: number };

export interface PassingFailure {
  readonly errors: readonly [ObjectError, ...ObjectError[]];
  /** `Retry-After` of the upstream, if it sent one. */
  readonly retryAfterSeconds: number | undefined;
  /** True if the upstream refused for the number of calls. */
  readonly isRateLimit: boolean;
}

/** The statuses of 4xx that a later attempt may change: a token that expired, a time-out, too early, too many. */
const PASSING_STATUS: ReadonlySet<number> = new Set([401, 408, 425, 429]);
const CODE = /^[\w-]{1,64}$/;
const UNKNOWN_CODE = 'UNKNOWN';
const ERRORS_MAX = 100;
/** An answer whose root fields are all null is shorter. */
const NULLS_BYTES_MAX = 16_384;

/** The object, as complete as possible, or why to wait for it. One that the upstream says is not there is null. */
export function readObject(outcome: Outcome): DeliveredObject | PassingFailure {
  return outcome instanceof BffError ? readFailure(outcome) : readAnswer(outcome);
}

function readFailure(error: BffError): DeliveredObject | PassingFailure {
  const code = ERROR_CODES[error.code].graphqlCode;
  const { cause, details, retryAfterSeconds, isUpstreamLimit: isRateLimit } = error;
  const isTooLarge = cause instanceof ExchangeFault && cause.kind === 'too_large';
  const status = Number(details.fields?.['upstreamStatus']);
  const isRefused = status >= 400 && status < 500 && !PASSING_STATUS.has(status);
  const isFinal = REFUSAL_CODES.has(code) || isTooLarge || isRefused;
  if (isFinal) return { object: undefined, errors: [{ code }] };
  return { errors: [{ code }], retryAfterSeconds, isRateLimit };
}

function readAnswer(result: GraphqlResult): DeliveredObject | PassingFailure {
  const body = Buffer.isBuffer(result.body) ? result.body : Buffer.from(result.body);
  const errors = readErrors(textOf(body, 'errors'));
  const [passing, ...others] = errors.filter(({ code }) => !REFUSAL_CODES.has(code));
  if (passing) {
    const isRateLimit = result.status === 429 || errors.some(({ code }) => code === RATE_LIMITED);
    return { errors: [passing, ...others], retryAfterSeconds: result.retryAfter, isRateLimit };
  }
  const data = textOf(body, 'data') ?? 'null';
  if (!isNothing(data)) return { object: data, errors };
  return { object: errors.length > 0 ? undefined : 'null', errors };
}

function textOf(body: Buffer, member: string): string | undefined {
  return sliceMembers(body)
    ?.find(({ name }) => name === member)
    ?.value.toString();
}

/** True for data without any object: null, or null in every root field. */
function isNothing(data: string): boolean {
  if (data.length > NULLS_BYTES_MAX) return false;
  const value: unknown = JSON.parse(data);
  return !isObject(value) || Object.values(value).every((root) => root === null);
}

function readErrors(text: string | undefined): readonly ObjectError[] {
  const errors: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(errors) ? errors.slice(0, ERRORS_MAX).map(readError) : [];
}

function readError(error: unknown): ObjectError {
  const given = codeOf(error) ?? UNKNOWN_CODE;
  const code = CODE.test(given) ? given : UNKNOWN_CODE;
  const path = isObject(error) ? error['path'] : undefined;
  return Array.isArray(path) && path.every(isStep) ? { code, path } : { code };
}

function isStep(step: unknown): step is string | number {
  return typeof step === 'string' || typeof step === 'number';
}
