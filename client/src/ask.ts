import { errorOfAnswer, readHead } from './bff-error.js';
import type { BffOptions, GetUserToken } from './bff-options.js';
import { faultOf, readJson, throwIfAborted } from './read-json.js';

/** The user and session that requests are sent for; `Bff` implements it. */
export interface Sender {
  readonly options: BffOptions;
  readonly sessionId: string;
  readonly language: string | undefined;
}

/** A request to the service. */
export interface ServiceRequest {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** An answer, and the id that its request was sent with. */
export interface ServiceAnswer {
  readonly response: Response;
  readonly requestId: string;
}

const TIMEOUT_MS = 30_000;

/**
 * Sends a request to the service as the user. A user token that the service refuses is renewed once.
 * @throws BffError for every answer that is not successful
 */
export async function ask(sender: Sender, path: string, request: ServiceRequest): Promise<ServiceAnswer> {
  const answer = await send(sender, path, request);
  if (answer.response.ok) return answer;
  const body = await readJson(answer.response, request.signal);
  throw errorOfAnswer(readHead(answer.response, answer.requestId), body);
}

/** The JSON of an answer to {@link ask}; an answer without any, such as a page, is a failure too. */
export async function askJson<T>(sender: Sender, path: string, request: ServiceRequest): Promise<T> {
  const { response, requestId } = await ask(sender, path, request);
  const body = await readJson(response, request.signal);
  if (typeof body === 'object' && body !== null) return body as T;
  throw errorOfAnswer(readHead(response, requestId), body);
}

/** Like {@link ask}, for answers whose failures the caller reads. */
export async function send(sender: Sender, path: string, request: ServiceRequest): Promise<ServiceAnswer> {
  const { getUserToken } = sender.options;
  const { signal } = request;
  throwIfAborted(signal);
  if (!getUserToken) return sendAs(sender, undefined, path, request);
  const token = await tokenOf(getUserToken, false, signal);
  const answer = await sendAs(sender, token, path, request);
  if (!(await isUserRefused(answer, signal))) return answer;
  const renewed = await tokenOf(getUserToken, true, signal);
  return renewed === token ? answer : sendAs(sender, renewed, path, request);
}

/** The page's own sign-in has no longer than the request that needs it. What fails by the network may pass. */
async function tokenOf(getUserToken: GetUserToken, refresh: boolean, signal: AbortSignal): Promise<string> {
  try {
    return await within(signal, Promise.resolve(getUserToken({ refresh })));
  } catch (error) {
    throw error instanceof TypeError || error instanceof DOMException ? faultOf(error, signal) : error;
  }
}

/** True if the service refused the user, and so did nothing. A 401 that the upstream answered is another matter. */
async function isUserRefused({ response, requestId }: ServiceAnswer, signal: AbortSignal): Promise<boolean> {
  if (response.status !== 401) return false;
  const body = await readJson(response.clone(), signal);
  return errorOfAnswer(readHead(response, requestId), body).reason === 'unauthenticated';
}

/** Sends one HTTP request with the headers that every request has (interface, Tracing requests). */
export async function exchange(
  { options, sessionId, language }: Sender,
  url: string,
  init: Omit<RequestInit, 'headers'> & { headers: Record<string, string> },
): Promise<ServiceAnswer> {
  const requestId = crypto.randomUUID();
  const headers: Record<string, string> = {
    ...init.headers,
    'X-Request-Id': requestId,
    'X-Session-Id': sessionId,
  };
  if (language !== undefined) headers['Accept-Language'] ??= language;
  throwIfAborted(init.signal);
  try {
    const response = await (options.fetch ?? fetch)(url, { ...init, headers, redirect: 'error' });
    init.signal?.throwIfAborted();
    return { response, requestId };
  } catch (error) {
    throw faultOf(error, init.signal, requestId);
  }
}

/** Combines the session's signal, a deadline and the caller's signal. */
export function withDeadline(
  { options }: Sender,
  { signal: whole }: { readonly signal: AbortSignal },
  signal?: AbortSignal,
): AbortSignal {
  const deadline = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  return AbortSignal.any([whole, deadline, ...(signal ? [signal] : [])]);
}

/** Waits for work until the signal is aborted at the latest; the work goes on for others who wait for it. */
export function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(faultOf(signal.reason, signal));
    signal.addEventListener('abort', abort);
    const end = (): void => signal.removeEventListener('abort', abort);
    work.finally(end).then(resolve, reject);
    if (signal.aborted) abort();
  });
}

function sendAs(
  sender: Sender,
  token: string | undefined,
  path: string,
  request: ServiceRequest,
): Promise<ServiceAnswer> {
  const { method = 'POST', body, headers, signal } = request;
  return exchange(sender, sender.options.url.replace(/\/$/, '') + path, {
    method,
    signal,
    credentials: token === undefined ? 'include' : 'omit',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token === undefined ? { 'X-CSRF': '1' } : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
