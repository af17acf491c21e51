/** One row for each failure that callers see: its answer in problem+json and on `/graphql`. */
interface ErrorRow {
  /** HTTP status of the answer. */
  readonly status: number;
  readonly title: string;
  /** The default sentence for the caller: what is wrong and what to do. */
  readonly text: string;
  /** Advice for the operator, in Markdown. */
  readonly operator: string;
  /** The `extensions.code` of the same failure on `/graphql`. */
  readonly graphqlCode: string;
  /** `WWW-Authenticate` of the answer (RFC 9110 section 11.6.1, RFC 6750 section 3), unless the thrower names another. */
  readonly challenge?: string;
}

/** Without a title it is the code in words, without a GraphQL code that of the failure. */
type Row = Omit<ErrorRow, 'title' | 'graphqlCode'> & Partial<ErrorRow>;

const ROWS = {
  invalid_request: {
    status: 400,
    text: 'The request does not have the documented shape. Correct the listed fields and send it again.',
    operator: '`errors` in the response names each field. If all callers get it after a release, roll back.',
    graphqlCode: 'BAD_USER_INPUT',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    text: 'A valid end-user token is required. Sign in again and send it as "Authorization: Bearer <token>".',
    operator:
      'Find the [reason](#why-a-token-is-refused). If many users get it, see [What users report](runbook.md#what-users-report).',
    challenge: 'Bearer',
  },
  invalid_signature: {
    status: 401,
    text: 'The webhook signature is missing or does not match the body. Sign the raw bytes with the shared secret.',
    operator: 'See [webhooks-refused](runbook.md#webhooks-refused).',
    graphqlCode: 'UNAUTHENTICATED',
    challenge: 'Signature',
  },
  hirer_forbidden: {
    status: 403,
    title: 'Hirer not allowed',
    text: 'You do not have access to this hirer. Ask an administrator for access, or choose another hirer.',
    operator:
      'Run `partner-bff memberships list --user <sub>` with the exact `sub`, and check `HIRER_ACCESS`.',
    graphqlCode: 'FORBIDDEN',
  },
  scope_forbidden: {
    status: 403,
    title: 'Scope not allowed',
    text: 'You may not request one of the scopes. Ask for fewer.',
    operator:
      '`detail` names the scope or operation, the audit record the roles. See `ROLE_SCOPES`, `@role`.',
    graphqlCode: 'FORBIDDEN',
    challenge: 'Bearer error="insufficient_scope"',
  },
  csrf_failed: {
    status: 403,
    title: 'Cross-site request refused',
    text: 'A request authenticated by cookie needs the header "X-CSRF: 1" and an allowed Origin.',
    operator: 'Check `CORS_ORIGINS`, and whether a proxy changes `Host` or `Origin`.',
    graphqlCode: 'FORBIDDEN',
  },
  hirer_not_connected: {
    status: 403,
    text: 'This hirer has not connected its account to the partner. Ask the hirer to establish the relationship.',
    operator: '`GET /events?type=HirerRelationshipChanged` lists changes.',
    graphqlCode: 'FORBIDDEN',
  },
  not_found: {
    status: 404,
    text: 'There is nothing at this address.',
    operator: 'A file link is valid for `ATTACHMENT_TTL_SECONDS`, for one user. Query the object again.',
  },
  method_not_allowed: {
    status: 405,
    text: 'This address does not accept the method used. The Allow header lists those it does.',
    operator: 'Fix the caller.',
  },
  request_timeout: {
    status: 408,
    text: 'The request did not arrive completely in time. Send it again.',
    operator:
      'Late headers leave no log line, a late body leaves one with status 499. Buffer requests in front of the service.',
    graphqlCode: 'BAD_USER_INPUT',
  },
  payload_too_large: {
    status: 413,
    text: 'The request body is larger than this service accepts. Send a smaller one.',
    operator: 'The limit is `BODY_LIMIT_BYTES`.',
  },
  batch_limit_exceeded: {
    status: 413,
    title: 'Too many items',
    text: 'The array holds more requests than this service accepts at once. Send fewer, in several requests.',
    operator: 'The limit is `BATCH_LIMIT`.',
  },
  persisted_query_not_found: {
    status: 200,
    text: 'PersistedQueryNotFound',
    operator: 'No file in `OPERATIONS_DIR` has this hash. Release the service before the frontend.',
  },
  unsupported_media_type: {
    status: 415,
    text: 'Send the body as "Content-Type: application/json", in UTF-8, without a content encoding.',
    operator: 'Check whether a proxy changes `Content-Type` or compresses requests.',
  },
  misdirected_request: {
    status: 421,
    text: 'This service runs its playground and answers this machine only. Call it by localhost, or list the host in PLAYGROUND_HOSTS.',
    operator: 'List only host names that you control in `PLAYGROUND_HOSTS`.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    text: 'The request headers are larger than this service accepts. Send fewer or shorter ones.',
    operator: 'The limit is 16 KiB. Usually the domain has too many cookies.',
    graphqlCode: 'BAD_USER_INPUT',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    text: 'Too many requests. Wait for the time in Retry-After and try again.',
    operator: 'See [What users report](runbook.md#what-users-report).',
  },
  internal_error: {
    status: 500,
    text: 'The service failed. Try again, and report the requestId if it persists.',
    operator: 'See [internal-errors](runbook.md#internal-errors).',
    graphqlCode: 'INTERNAL_SERVER_ERROR',
  },
  upstream_error: {
    status: 502,
    text: 'The upstream service did not give a usable answer. Try again, and report the requestId if it persists.',
    operator: 'See [upstream-failing](runbook.md#upstream-failing).',
  },
  unavailable: {
    status: 503,
    text: 'The service cannot serve this request at the moment. Wait for the time in Retry-After and try again.',
    operator:
      '`GET /conditions` names the dependency. If it names none, this replica is overloaded or stopping.',
  },
  upstream_timeout: {
    status: 504,
    text: 'The upstream service did not answer in time. Try again.',
    operator: 'See [upstream-slow](runbook.md#upstream-slow).',
  },
} satisfies Record<string, Row>;

/** The name of a failure, in `code` of an answer, in metrics and in the audit trail. */
export type ErrorCode = keyof typeof ROWS;

/** The code table. `docs/errors.md` is generated from it; nothing else decides a status or a public text. */
export const ERROR_CODES = Object.fromEntries(
  Object.entries<Row>(ROWS).map(([code, row]) => {
    const title = `${code[0]!.toUpperCase()}${code.slice(1).replaceAll('_', ' ')}`;
    return [code, { title, graphqlCode: code.toUpperCase(), ...row }];
  }),
) as Record<ErrorCode, ErrorRow>;
