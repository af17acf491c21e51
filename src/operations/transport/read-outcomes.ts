import { setImmediate as turn } from 'node:timers/promises';
import type { Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { contentCodings } from '../../http/content-encoding.js';
import type { IncomingAnswer } from '../../http/outgoing/exchange.js';
import { walkElements } from '../../json/slices.js';
import type { Operation } from '../operation.js';
import { readShape, type AnswerShape, type GraphqlResult, type Outcome } from './graphql-result.js';

/** An item of an array after which others have a turn of the event loop. */
const LARGE_BYTES = 65_536;

/** Up to ten language tags (RFC 9110 section 8.5, RFC 5646 section 2.1). */
const LANGUAGES = /^[a-z]{1,8}(-[a-z\d]{1,8}){0,9}( ?, ?[a-z]{1,8}(-[a-z\d]{1,8}){0,9}){0,9}$/i;
/** Seconds, or a date in the one form that is sent (RFC 9110 sections 10.2.3 and 5.6.7). */
const WAIT = /^(\d{1,9}|[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT)$/;

/** Settings that bound answers. */
export type AnswerLimits = Pick<Config, 'ANSWER_LIMIT_BYTES' | 'REGISTERED_ANSWER_LIMIT_BYTES'>;

/**
 * Largest answer to the operations, in bytes. That to an array may be longer by one answer, so that a single one which is
 * too large does not fail the others.
 */
export function answerBytesMax(operations: readonly Operation[], limits: AnswerLimits): number {
  if (operations.length === 1) return itemBytesMax(operations[0]!, limits);
  return operations.reduce(
    (bytes, operation) => bytes + itemBytesMax(operation, limits),
    limits.ANSWER_LIMIT_BYTES,
  );
}

/**
 * Reads an answer as an outcome for each operation; undefined when it is not GraphQL. A single answer to an array is that
 * of each item only if it refuses all of them: data would be that of one item, and nothing says of which. Between large
 * items of an array, others have a turn; a single answer is read at once.
 */
export function readOutcomes(
  answer: IncomingAnswer,
  operations: readonly Operation[],
  limits: AnswerLimits,
): Outcome[] | undefined | Promise<Outcome[] | undefined> {
  const { status, headers, body } = answer;
  const isEncoded = contentCodings(headers['content-encoding']) !== undefined;
  if (isEncoded || (status >= 300 && status < 400)) return undefined;
  const shape = readShape(body);
  if (shape) {
    if (operations.length > 1 && (shape.hasData || !shape.errors)) return undefined;
    return operations.map(() => toResult(answer, body, shape));
  }
  return operations.length === 1 ? undefined : readEach(answer, operations, limits);
}

async function readEach(
  answer: IncomingAnswer,
  operations: readonly Operation[],
  limits: AnswerLimits,
): Promise<Outcome[] | undefined> {
  const outcomes: Outcome[] = [];
  for (const item of walkElements(answer.body)) {
    const operation = operations[outcomes.length];
    if (!item || !operation) return undefined;
    outcomes.push(readItem(answer, item, itemBytesMax(operation, limits)));
    if (item.length > LARGE_BYTES) await turn();
  }
  return outcomes.length === operations.length ? outcomes : undefined;
}

function itemBytesMax({ registered }: Operation, limits: AnswerLimits): number {
  const { ANSWER_LIMIT_BYTES, REGISTERED_ANSWER_LIMIT_BYTES } = limits;
  return registered ? Math.min(ANSWER_LIMIT_BYTES, REGISTERED_ANSWER_LIMIT_BYTES) : ANSWER_LIMIT_BYTES;
}

function readItem(answer: IncomingAnswer, item: Buffer, bytesMax: number): Outcome {
  if (item.length > bytesMax) {
    return new BffError('upstream_error', { message: 'an item of the answer is too large' });
  }
  const shape = readShape(item);
  if (shape) return toResult(answer, item, shape);
  return new BffError('upstream_error', { message: 'an item of the answer is not GraphQL' });
}

function toResult({ status, headers }: IncomingAnswer, body: Buffer, { errors }: AnswerShape): GraphqlResult {
  const contentLanguage = inForm(LANGUAGES, headers['content-language']);
  const retryAfter = inForm(WAIT, headers['retry-after']);
  return { status, body, errors, contentLanguage, retryAfter };
}

/** A header that is passed on; undefined in any other form than its own. */
function inForm(form: RegExp, header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && form.test(header) ? header : undefined;
}
