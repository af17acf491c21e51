import { isUtf8 } from 'node:buffer';
import { BffError } from '../../errors/bff-error.js';
import { ERROR_CODES } from '../../errors/error-codes.js';
import { isObject } from '../../json/is-object.js';
import { codeOf } from '../../upstream/upstream-error.js';
import { skipSpace, sliceMembers } from '../../json/slices.js';

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
/** More than an error for each field of a long operation. */
const ERRORS_BYTES_MAX = 65_536;

/** The upstream's answer to one operation: its bytes, untouched. */
export interface GraphqlResult {
  readonly status: number;
  readonly body: Buffer | string;
  /** Its list of `errors`, as bytes; undefined when it holds none. */
  readonly errors: Buffer | undefined;
  readonly contentLanguage?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/** The outcome of one operation: an answer of the upstream, or a failure of ours. */
export type Outcome = GraphqlResult | BffError;

/** The upstream refused the token by status, without a GraphQL answer. */
export class TokenRefused extends BffError {
  constructor() {
    super('upstream_error', { message: 'graphql endpoint answered 401 without GraphQL' });
  }
}

/** The contents of a GraphQL answer. */
export interface AnswerShape {
  /** The list of `errors`; undefined when it holds none. */
  readonly errors: Buffer | undefined;
  /** True if it holds `data` other than null. */
  readonly hasData: boolean;
}

/** The shape of a GraphQL answer (interface 2.4); undefined for bytes that are not one. */
export function readShape(bytes: Buffer): AnswerShape | undefined {
  if (!isUtf8(bytes)) return undefined;
  const members = sliceMembers(bytes) ?? [];
  const errors = members.find(({ name }) => name === 'errors');
  const data = members.filter(({ name }) => name === 'data');
  const objects = data.filter(({ start }) => bytes[start] === OPENING_BRACE);
  if (!data.every((one) => objects.includes(one) || isNull(bytes, one))) return undefined;
  const hasData = objects.length > 0;
  if (errors && bytes[errors.start] !== OPENING_BRACKET) {
    return isNull(bytes, errors) && data.length > 0 ? { errors: undefined, hasData } : undefined;
  }
  if (data.length === 0 && !errors) return undefined;
  const list = errors && bytes.subarray(errors.start, errors.end);
  return { errors: list && isEmptyList(list) ? undefined : list, hasData };
}

function isNull(bytes: Buffer, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return bytes.toString('latin1', start, end) === 'null';
}

function isEmptyList(bytes: Buffer): boolean {
  return skipSpace(bytes, 1) === bytes.length - 1;
}

/** One of the `errors` of an answer. */
export interface ReadError {
  /** Undefined if it is missing or no text. */
  readonly code: string | undefined;
  /** Undefined if there is none; empty if it is not a list. */
  readonly path: readonly unknown[] | undefined;
}

/** What is read of `errors`; nothing where there is more than any refusal has. */
export function readErrors({ errors: bytes }: Pick<GraphqlResult, 'errors'>): readonly ReadError[] {
  if (!bytes || bytes.length > ERRORS_BYTES_MAX) return [];
  try {
    const errors: unknown = JSON.parse(bytes.toString());
    return Array.isArray(errors) ? errors.map(readError) : [];
  } catch {
    return [];
  }
}

/** True unless the answer has no data, or each member of its data is null. */
export function holdsValues(body: Buffer | string): boolean {
  const bytes = Buffer.from(body);
  const data = (sliceMembers(bytes) ?? []).filter(({ name }) => name === 'data');
  return data.some((slice) => {
    if (isNull(bytes, slice)) return false;
    const members = sliceMembers(bytes.subarray(slice.start, slice.end));
    return !members?.every((member) => isNull(bytes.subarray(slice.start, slice.end), member));
  });
}

function readError(error: unknown): ReadError {
  const { path = null } = isObject(error) ? error : {};
  if (path === null) return { code: codeOf(error), path: undefined };
  return { code: codeOf(error), path: Array.isArray(path) ? path : [] };
}

/** A failure of ours in the shape of a GraphQL answer (docs/errors.md). */
export function errorBody(error: BffError, requestId: string): string {
  const extensions = { code: ERROR_CODES[error.code].graphqlCode, reason: error.code, requestId };
  return JSON.stringify({ errors: [{ message: error.detail, extensions }] });
}
