/** The values of `code`; the upstream may add others. */
export type BffErrorCode =
  | 'BAD_USER_INPUT'
  | 'BATCH_LIMIT_EXCEEDED'
  | 'FORBIDDEN'
  | 'INTERNAL_SERVER_ERROR'
  | 'METHOD_NOT_ALLOWED'
  | 'MISDIRECTED_REQUEST'
  | 'NETWORK_ERROR'
  | 'NOT_FOUND'
  | 'NOT_SUPPORTED'
  | 'PAYLOAD_TOO_LARGE'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'RATE_LIMITED'
  | 'SESSION_ENDED'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UPSTREAM_ERROR'
  | 'UPSTREAM_TIMEOUT'
  | (string & {});

/** The values of `reason`: the service's codes (its `docs/errors.md`), and why a session ended; later versions may add others. */
export type BffErrorReason =
  | 'batch_limit_exceeded'
  | 'csrf_failed'
  | 'headers_too_large'
  | 'hirer_forbidden'
  | 'hirer_not_connected'
  | 'hirer_switched'
  | 'internal_error'
  | 'invalid_request'
  | 'invalid_signature'
  | 'method_not_allowed'
  | 'misdirected_request'
  | 'not_found'
  | 'payload_too_large'
  | 'persisted_query_not_found'
  | 'rate_limited'
  | 'request_timeout'
  | 'scope_forbidden'
  | 'signed_out'
  | 'unauthenticated'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'upstream_error'
  | 'upstream_timeout'
  | (string & {});

/** An entry of `errors` in a GraphQL answer (GraphQL specification, 7.1.2). */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A field of a request that was refused as `invalid_request`. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** The details of a failure besides its code; see {@link BffError}. */
export interface BffErrorDetails {
  readonly reason?: BffErrorReason | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly errors?: readonly (GraphqlError | FieldFault)[] | undefined;
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** The code of an answer that names none, by its status: the table of the service's `docs/errors.md`. */
const CODES: Readonly<Record<number, BffErrorCode>> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'BAD_USER_INPUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  421: 'MISDIRECTED_REQUEST',
  429: 'RATE_LIMITED',
  431: 'BAD_USER_INPUT',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'UNAVAILABLE',
  504: 'UPSTREAM_TIMEOUT',
};

/**
 * The one error of this package, whatever the route and the format of the answer. Its message is the sentence that the
 * service or upstream wrote for people. An `AbortSignal` of the caller's rejects with the signal's own reason instead.
 */
export class BffError extends Error {
  override readonly name = 'BffError';
  /**
   * The service's code for the failure (`hirer_forbidden`, `rate_limited`; its `docs/errors.md`). Undefined for an error
   * of the upstream and for `NETWORK_ERROR`. For `SESSION_ENDED`: `hirer_switched` or `signed_out`.
   */
  declare readonly reason: BffErrorReason | undefined;
  /** HTTP status of the answer; 0 when there was none. */
  declare readonly status: number;
  /** Names the request in the logs of service and upstream. */
  declare readonly requestId: string | undefined;
  /** Seconds to wait before trying again, if the answer says so. */
  declare readonly retryAfter: number | undefined;
  /** Every error of a GraphQL answer, or every field that was refused. */
  declare readonly errors: readonly (GraphqlError | FieldFault)[];
  /** The data of a GraphQL answer that also has errors: partial data is normal. */
  declare readonly data: unknown;

  /**
   * @param code as in GraphQL: `UNAUTHENTICATED`, `FORBIDDEN`, `RATE_LIMITED`…; `NETWORK_ERROR` when there was no
   *   answer, `SESSION_ENDED` when the user signed out or switched to another hirer meanwhile, `NOT_SUPPORTED` for what
   *   can never be answered, such as a subscription
   */
  constructor(
    readonly code: BffErrorCode,
    message: string,
    details: BffErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    Object.assign(this, details, { status: details.status ?? 0, errors: details.errors ?? [] });
  }
}

/** The details in the head of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly requestId: string;
  readonly retryAfter: number | undefined;
}

/** Reads the head of an answer; `sentId` stands in where the answer's own request id cannot be read. */
export function readHead(response: Response, sentId: string): AnswerHead {
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? sentId,
    // in seconds, as service and upstream write it; its other form, a date (RFC 9110, 10.2.3), counts as none
    retryAfter: Number(response.headers.get('retry-after')) || undefined,
  };
}

/** The error of an answer that is not a success: a problem (RFC 9457), a GraphQL answer, or anything else. */
export function errorOfAnswer(head: AnswerHead, body: unknown): BffError {
  const { errors, code, detail, title, requestId } = (body ?? {}) as Record<string, unknown>;
  if (Array.isArray(errors) && code === undefined) return errorOfGraphql(head, errors, (body as Body).data);
  return new BffError(codeOf(head.status), textOf(detail) ?? textOf(title) ?? `Status ${head.status}.`, {
    ...head,
    requestId: textOf(requestId) ?? head.requestId,
    reason: textOf(code),
    errors: Array.isArray(errors) ? (errors as FieldFault[]) : undefined,
  });
}

/** The error of a GraphQL answer with errors, named after the first of them. */
export function errorOfGraphql(head: AnswerHead, errors: readonly GraphqlError[], data?: unknown): BffError {
  const [{ message, extensions } = { message: 'The answer holds no data.' }] = errors as [GraphqlError?];
  const { code, reason, requestId } = extensions ?? {};
  return new BffError(textOf(code) ?? codeOf(head.status), message, {
    ...head,
    requestId: textOf(requestId) ?? head.requestId,
    reason: textOf(reason),
    errors,
    data,
  });
}

interface Body {
  readonly data?: unknown;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function codeOf(status: number): BffErrorCode {
  return CODES[status] ?? 'UPSTREAM_ERROR';
}
