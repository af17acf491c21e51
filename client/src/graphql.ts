import { withDeadline, exchange, send } from './ask.js';
import type { Bff, HirerSession } from './bff.js';
import type { TokenRequest } from './bff-options.js';
import { readJson, throwIfAborted } from './read-json.js';
import {
  BffError,
  errorOfAnswer,
  errorOfGraphql,
  readHead,
  type AnswerHead,
  type GraphqlError,
} from './bff-error.js';
import { documentIdOf, textOf, withoutEmpty, withoutUnused, type GraphqlText } from './document.js';

/**
 * A GraphQL operation: a text, or the name or hash of one that is registered at the service. A document that the service
 * has generated (`npm run operations -- types`) counts as the name that it carries.
 */
export type Operation<Data = unknown, Vars = object> = {
  /** Arguments are passed here, never written into the text; members without a value are left out (interface 4.3). */
  readonly variables?: Vars | undefined;
} & (
  | {
      readonly query: GraphqlText<Data, Vars>;
      readonly operationName?: string | undefined;
      readonly documentId?: undefined;
    }
  | { readonly documentId: string; readonly query?: undefined }
);

/** The destination and hirer of an operation; the scope is that of the browser token. */
export interface SendOptions extends TokenRequest {
  /**
   * `upstream` directly with a browser token, or through the `service`, which then has one of its own. By default
   * directly if the upstream's address is known. Registered operations always go through the service.
   */
  readonly via?: 'upstream' | 'service' | undefined;
  /** Languages of this answer (`Accept-Language`) instead of those of the {@link Bff}. */
  readonly language?: string | undefined;
  /** The session that the answer must still belong to; the current one by default. */
  readonly session?: HirerSession | undefined;
}

/** The answer to one operation. Data may be partial: then it stands beside the error. */
export interface GraphqlResult<Data = unknown> {
  readonly data: Data | null | undefined;
  /** Undefined if the answer holds no errors. */
  readonly error: BffError | undefined;
  readonly errors: readonly GraphqlError[];
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
  /** The languages of the answer, if it names them (`Content-Language`). */
  readonly language: string | undefined;
}

/** How many operations one array may hold: the service's `BATCH_LIMIT`. */
const BATCH_LIMIT = 10;

/**
 * The data of one operation.
 * @throws BffError if the answer has errors; the partial data, if any, is its `data`
 */
export async function request<Data, Vars>(
  bff: Bff,
  operation: Operation<Data, Vars>,
  options: SendOptions = {},
): Promise<Data> {
  const { data, error } = await execute(bff, operation, options);
  if (error) throw error;
  return data as Data;
}

/**
 * The whole answer to one operation, errors and partial data side by side.
 * @throws BffError when there is no GraphQL answer
 */
export async function execute<Data, Vars>(
  bff: Bff,
  operation: Operation<Data, Vars>,
  options: SendOptions = {},
): Promise<GraphqlResult<Data>> {
  const [result] = await sendAll(bff, [bodyOf(operation as Operation)], options);
  return result as GraphqlResult<Data>;
}

/**
 * The answers to many operations in their order, as HTTP arrays of at most `limit` (interface 4.4). An array is not
 * atomic: each operation succeeds or fails alone, and an array that fails leaves the answers of the others.
 * @throws BffError `SESSION_ENDED` and the signal's reason only
 */
export function batch(
  bff: Bff,
  operations: readonly Operation[],
  options: SendOptions & { readonly limit?: number } = {},
): Promise<GraphqlResult[]> {
  return sendBatch(bff, operations.map(bodyOf), options);
}

/** The body of one operation, as GraphQL over HTTP has it, or with the name of a registered one. */
export interface Body {
  readonly query?: string | undefined;
  readonly documentId?: string | undefined;
  readonly operationName?: string | undefined;
  readonly variables?: object | undefined;
  readonly extensions?: object | undefined;
}

/** Like {@link batch}, for bodies. */
export async function sendBatch(
  bff: Bff,
  bodies: readonly Body[],
  { limit = BATCH_LIMIT, ...options }: SendOptions & { readonly limit?: number },
): Promise<GraphqlResult[]> {
  const { session = bff.session } = options;
  const results: GraphqlResult[] = [];
  while (results.length < bodies.length) {
    const items = bodies.slice(results.length, results.length + limit);
    results.push(...(await sendAll(bff, items, { ...options, session }).catch(failAll(items))));
  }
  return results;
}

function failAll(items: readonly Body[]): (error: unknown) => GraphqlResult[] {
  return (error) => {
    const isOurs = error instanceof BffError && error.code !== 'SESSION_ENDED';
    if (!isOurs) throw error;
    return items.map(() => resultOf(undefined, error));
  };
}

/** Sends bodies in one request; those that a new token may help are sent once more. */
export async function sendAll(
  bff: Bff,
  items: readonly Body[],
  options: SendOptions,
): Promise<GraphqlResult[]> {
  const { session = bff.session, hirerId = session.hirerId, scope } = options;
  const signal = withDeadline(bff, session, options.signal);
  const isDirect = items.every((item) => isForUpstream(bff, item, options));
  if (!isDirect) return post(bff, items, { ...options, hirerId }, signal);
  const request = { hirerId, scope, signal };
  const { value: token } = await bff.token(request);
  const results = await post(bff, items, options, signal, token);
  const refused = items.flatMap((item, at) => (isRefused(item, results[at]!) ? [at] : []));
  if (refused.length === 0) return results;
  const again = refused.map((at) => items[at]!);
  const better = await bff
    .token(request, token)
    .then(({ value }) => post(bff, again, options, signal, value))
    .catch(again.length < items.length ? failAll(again) : undefined);
  refused.forEach((at, index) => (results[at] = better[index]!));
  return results;
}

function isForUpstream(bff: Bff, { query }: Body, { via }: SendOptions): boolean {
  if (query === undefined || via === 'service') return false;
  if (bff.options.upstreamUrl !== undefined) return true;
  if (via === 'upstream') throw new TypeError('The Bff has no upstreamUrl.');
  return false;
}

/** The name in the answer of the first root of the one mutation; no match where that needs more than a look. */
const FIRST_ROOT = /^(?![^]*\bmutation\b[^]*\bmutation\b)\s*mutation\b[\s\w]*(?:\([^)"#]*\)\s*)?\{\s*(\w+)/;

/** True if a new token may help: for a mutation, only if no part of it can have run. */
function isRefused({ query }: Body, { data, errors }: GraphqlResult): boolean {
  const refusals = errors.filter(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
  if (refusals.length === 0) return false;
  if (!/\bmutation\b/.test(query!)) return true;
  if (refusals.length < errors.length || refusals.some(({ path }) => path?.[1] !== undefined)) return false;
  const roots = Object.values(data ?? {});
  if (data) return refusals.length >= roots.length && roots.every((root) => root === null);
  // roots run one after another (interface 4.4), so only the first can have been refused before anything ran
  return refusals.every(({ path }) => path?.[0] === undefined || path[0] === FIRST_ROOT.exec(query!)?.[1]);
}

/** @param token of the upstream; without one, the request goes to the service */
async function post(
  bff: Bff,
  items: readonly Body[],
  { hirerId, language }: SendOptions,
  signal: AbortSignal,
  token?: string,
): Promise<GraphqlResult[]> {
  const body = items.length === 1 ? items[0] : items;
  const accept = language !== undefined && { 'Accept-Language': language };
  const answer =
    token === undefined
      ? await send(bff, '/graphql', {
          body,
          signal,
          headers: { ...(hirerId !== undefined && { 'X-Hirer-Id': hirerId }), ...accept },
        })
      : await exchange(bff, `${bff.options.upstreamUrl!.replace(/\/$/, '')}/graphql`, {
          method: 'POST',
          body: JSON.stringify(body),
          credentials: 'omit',
          signal,
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...accept },
        });
  const head = readHead(answer.response, answer.requestId);
  const whole = await readJson(answer.response, signal);
  throwIfAborted(signal);
  const tongue = answer.response.headers.get('content-language') ?? undefined;
  const isArray = Array.isArray(whole);
  return items.map((_, at) => readResult(head, isArray ? whole[at] : whole, tongue, isArray));
}

function bodyOf(operation: Operation): Body {
  const variables = withoutEmpty(operation.variables ?? {}) as object;
  const documentId = operation.documentId ?? documentIdOf(operation.query);
  if (documentId !== undefined) return { documentId, variables };
  const { query, operationName } = operation as Extract<Operation, { query: unknown }>;
  return { query: withoutUnused(textOf(query), variables), operationName, variables };
}

/** The error of an answer in which no root field has data; undefined for one that a client may show in part. */
export function failureOf({ data, error }: GraphqlResult): BffError | undefined {
  return Object.values(data ?? {}).every((root) => root === null) ? error : undefined;
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** @throws BffError for a whole that is no GraphQL answer; an item of an array fails alone */
function readResult(head: AnswerHead, body: unknown, language?: string, isItem = false): GraphqlResult {
  const { data, errors, extensions } = (body ?? {}) as Answer;
  const error = errors?.length ? errorOfGraphql(head, errors, data) : undefined;
  if (data !== undefined || error) return { ...resultOf(data, error), extensions, language };
  if (!isItem) throw errorOfAnswer(head, body);
  return resultOf(undefined, errorOfAnswer(head, body));
}

function resultOf(data: unknown, error: BffError | undefined): GraphqlResult {
  const errors = (error?.errors ?? []) as readonly GraphqlError[];
  return { data, error, errors, extensions: undefined, language: undefined };
}
