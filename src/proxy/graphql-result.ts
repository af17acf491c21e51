import { isUtf8 } from 'node:buffer';
import { BffError } from '../errors/bff-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { sliceMembers } from './json-slices.js';
import { isObject } from './operation-request.js';

/** The upstream's answer to one request: its bytes, untouched. */
export interface GraphqlResult {
  readonly status: number;
  readonly body: Buffer | string;
  /** Whether it holds `errors`. */
  readonly hasErrors: boolean;
  readonly contentLanguage?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/** What became of one request: an answer of the upstream, or a failure of ours. */
export type Outcome = GraphqlResult | BffError;

/** The upstream refused the token by status, without a GraphQL answer. */
export class TokenRefused extends BffError {
  constructor() {
    super('upstream_error', { message: 'graphql endpoint answered 401 without GraphQL' });
  }
}

/** Whether bytes have the shape of a GraphQL answer (interface 2.4), and whether it holds errors. */
export function readShape(bytes: Buffer): { readonly hasErrors: boolean } | undefined {
  if (!isUtf8(bytes)) return undefined;
  const members = sliceMembers(bytes);
  const errors = members?.find(({ name }) => name === 'errors');
  const hasData = members?.some(({ name }) => name === 'data') ?? false;
  if (errors && String.fromCharCode(bytes[errors.start]!) !== '[')
    return isNull(bytes, errors) && hasData ? { hasErrors: false } : undefined;
  return hasData || errors ? { hasErrors: errors !== undefined } : undefined;
}

function isNull(bytes: Buffer, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return bytes.toString('latin1', start, end) === 'null';
}

/** One of the `errors` of an answer, as far as its members have the right types. */
export interface ReadError {
  readonly code: string | undefined;
  readonly path: readonly unknown[] | undefined;
}

/** The answer's `data` and the codes of its `errors`. */
export function readErrors(body: Buffer | string): { data: unknown; errors: readonly ReadError[] } {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString());
  } catch {
    return { data: undefined, errors: [] };
  }
  const { data, errors } = isObject(answer) ? answer : {};
  return { data, errors: Array.isArray(errors) ? errors.map(readError) : [] };
}

function readError(error: unknown): ReadError {
  const { extensions, path } = isObject(error) ? error : {};
  const code = isObject(extensions) ? extensions['code'] : undefined;
  return {
    code: typeof code === 'string' ? code : undefined,
    path: Array.isArray(path) ? path : undefined,
  };
}

/** A failure of ours in the shape of a GraphQL answer (contract, `POST /graphql`). */
export function errorBody(error: BffError, requestId: string): string {
  const extensions = { code: ERROR_CODES[error.code].graphqlCode, requestId };
  return JSON.stringify({ errors: [{ message: error.detail, extensions }] });
}
