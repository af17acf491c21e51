import { isUtf8 } from 'node:buffer';
import type { Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { isUncoded, retryAfterSeconds } from '../../http/header-values.js';
import type { IncomingAnswer } from '../../http/outgoing/exchange.js';
import { isObject } from '../../json/parse-json.js';
import { sliceElements, sliceMembers, type Member } from '../../json/slices.js';
import type { Operation } from '../operation.js';
import { codeOf, RATE_LIMITED, REFUSAL_CODES, UNAUTHENTICATED } from '../../upstream/upstream-answer.js';

const [OPENING_BRACE, OPENING_BRACKET] = [0x7b, 0x5b] as const;
const NULL = Buffer.from('null');
/** More than an error for each field of a long operation. */
const ERRORS_BYTES_MAX = 65_536;
/** Language tags (RFC 9110 section 8.5, RFC 5646 section 2.1), up to twenty words of them. */
const LANGUAGES = /^[a-z\d]{1,8}(?:[-, ]{1,3}[a-z\d]{1,8}){0,19}$/i;

/** The upstream's answer to one operation: its bytes, untouched. */
export class GraphqlResult {
  readonly status: number;
  readonly contentLanguage?: string | undefined;
  /** In seconds. */
  readonly retryAfter?: number | undefined;

  /** @param errors those of the upstream's answer, undefined when it had none; `body` may have been confined since */
  constructor(
    { status, headers }: IncomingAnswer,
    readonly body: Buffer | string,
    readonly errors: readonly unknown[] | undefined,
  ) {
    const language = headers['content-language'];
    this.status = status;
    this.contentLanguage = typeof language === 'string' && LANGUAGES.test(language) ? language : undefined;
    this.retryAfter = retryAfterSeconds(headers['retry-after'], Date.now());
  }
}

/** The outcome of one operation: an answer of the upstream, or a failure of ours. */
export type Outcome = GraphqlResult | BffError;

/** A failure of ours as an outcome. @throws any other error */
export function asOutcome(error: unknown): BffError {
  if (error instanceof BffError) return error;
  throw error;
}

/** The upstream refused the token by status, without a GraphQL answer. */
export class TokenRefused extends BffError {
  constructor() {
    super('upstream_error', { message: 'graphql endpoint answered 401 without GraphQL' });
  }
}

type Sent = Pick<Operation, 'registered'>;

export type AnswerLimits = Pick<Config, 'ANSWER_LIMIT_BYTES' | 'REGISTERED_ANSWER_LIMIT_BYTES'>;

/**
 * Largest answer to the operations, in bytes; to an array, longer by one answer, so that one that is too large does not
 * fail the others.
 */
export function answerBytesMax(operations: readonly Sent[], limits: AnswerLimits): number {
  const spare = operations.length === 1 ? 0 : limits.ANSWER_LIMIT_BYTES;
  return operations.reduce((bytes, operation) => bytes + itemBytesMax(operation, limits), spare);
}

function itemBytesMax({ registered }: Sent, limits: AnswerLimits): number {
  const { ANSWER_LIMIT_BYTES, REGISTERED_ANSWER_LIMIT_BYTES } = limits;
  return registered ? Math.min(ANSWER_LIMIT_BYTES, REGISTERED_ANSWER_LIMIT_BYTES) : ANSWER_LIMIT_BYTES;
}

/**
 * An outcome for each operation; undefined for an answer that is not GraphQL. One answer to an array is that of each
 * item only if it refuses all of them: nothing says of which item data would be.
 */
export function readOutcomes(
  answer: IncomingAnswer,
  operations: readonly Sent[],
  limits: AnswerLimits,
): Outcome[] | undefined {
  const { status, headers } = answer;
  if (!isUncoded(headers) || (status >= 300 && status < 400) || status > 599) return undefined;
  const shape = readShape(answer.body);
  const isOne = operations.length === 1;
  if (shape) {
    const isOfAll = isOne || (shape.errors && !shape.hasData);
    return isOfAll ? operations.map(() => new GraphqlResult(answer, answer.body, shape.errors)) : undefined;
  }
  const items = isOne ? undefined : sliceElements(answer.body, operations.length + 1);
  if (items?.length !== operations.length) return undefined;
  return items.map((item, index) => {
    const isTooLarge = item.length > itemBytesMax(operations[index]!, limits);
    const read = isTooLarge ? undefined : readShape(item);
    const fault = `an item of the answer is ${isTooLarge ? 'too large' : 'not GraphQL'}`;
    return read
      ? new GraphqlResult(answer, item, read.errors)
      : new BffError('upstream_error', { message: fault });
  });
}

interface AnswerShape {
  /** Undefined if there are none. */
  readonly errors: readonly unknown[] | undefined;
  /** True if it holds `data` other than null. */
  readonly hasData: boolean;
}

/** @returns undefined unless it has data or an error (GraphQL specification, section 7.1) */
export function readShape(bytes: Buffer): AnswerShape | undefined {
  const members = isUtf8(bytes) ? (sliceMembers(bytes) ?? []) : [];
  const data = members.filter(({ name }) => name === 'data');
  const list = members.find(({ name }) => name === 'errors')?.value ?? NULL;
  if (!list.equals(NULL) && list[0] !== OPENING_BRACKET) return undefined;
  const isWhole = data.every((one) => one.value[0] === OPENING_BRACE || isNull(one));
  const errors = list.equals(NULL) ? undefined : readErrors(list);
  if (!isWhole || (data.length === 0 && !errors)) return undefined;
  return { errors, hasData: !data.every(isNull) };
}

function isNull({ value }: Member): boolean {
  return value.equals(NULL);
}

/** True unless the answer has no data, or each member of its data is null. */
function holdsValues(body: Buffer | string): boolean {
  const data = sliceMembers(Buffer.from(body))?.filter(({ name }) => name === 'data') ?? [];
  return data.some((one) => !isNull(one) && !sliceMembers(one.value)?.every(isNull));
}

/** What is read of a list of `errors`: nothing where there is more than any refusal has, undefined of an empty list. */
function readErrors(list: Buffer): readonly unknown[] | undefined {
  if (list.length > ERRORS_BYTES_MAX) return [];
  try {
    const errors = JSON.parse(list.toString()) as readonly unknown[];
    return errors.length > 0 ? errors : undefined;
  } catch {
    return [];
  }
}

/** True if an answer has an error of this code. */
export function hasError(outcome: Outcome, code: string): boolean {
  return !(outcome instanceof BffError) && outcome.errors?.some((error) => codeOf(error) === code) === true;
}

/** True if an error of the answer does not only refuse what was asked. */
export function isFailure({ errors = [] }: GraphqlResult): boolean {
  return errors
    .map(codeOf)
    .some((code) => code !== undefined && code !== RATE_LIMITED && !REFUSAL_CODES.has(code));
}

export function refusesToken(outcome: Outcome): boolean {
  return outcome instanceof TokenRefused || hasError(outcome, UNAUTHENTICATED);
}

/**
 * True if an operation failed because of its token, and may be sent again (interface 5.5, 5.8): a query always, a
 * mutation only when it is certain that nothing of it ran.
 */
export function mayRenew(
  { type, rootKeys }: { readonly type: 'query' | 'mutation'; readonly rootKeys: readonly string[] },
  outcome: Outcome,
): boolean {
  if (!refusesToken(outcome)) return false;
  if (type === 'query') return true;
  if (outcome instanceof BffError) return false;
  return !holdsValues(outcome.body) && accountsForAll(outcome.errors ?? [], rootKeys);
}

/**
 * Every error is UNAUTHENTICATED and has no path or that of a root field: one below would mean that the field ran. Each
 * root field is accounted for, by an error of its own or by a refusal of the whole request.
 */
function accountsForAll(errors: readonly unknown[], rootKeys: readonly string[]): boolean {
  const refused = new Set<unknown>();
  for (const error of errors) {
    const { path = null } = isObject(error) ? error : {};
    const keys = path === null ? [undefined] : path;
    if (codeOf(error) !== UNAUTHENTICATED || !Array.isArray(keys) || keys.length !== 1) return false;
    refused.add(keys[0]);
  }
  return refused.has(undefined) ? refused.size === 1 : rootKeys.every((key) => refused.has(key));
}
