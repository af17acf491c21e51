import type { ErrorCode } from '../../errors/error-codes.js';

/**
 * Who can change a request's outcome: nobody needs to, the caller, the upstream, one of the things that the service
 * depends on, or the service itself. `unclear`: the upstream answered with errors, and only they tell.
 */
export type Fault = 'none' | 'caller' | 'upstream' | 'dependency' | 'service' | 'unclear';

/** What an outcome means to the person on call. */
export interface OutcomeMeaning {
  readonly fault: Fault;
  readonly meaning: string;
}

/** Outcomes that are no error code: of tokens, GraphQL operations and downloads. */
type OtherOutcome = 'issued' | 'ok' | 'errors' | 'cancelled' | 'stalled';

/** Every outcome of a request that an end user makes, by its name in metrics and audit trail. */
export const OUTCOMES: Readonly<Record<ErrorCode | OtherOutcome, OutcomeMeaning>> = {
  issued: { fault: 'none', meaning: 'A token was issued.' },
  ok: { fault: 'none', meaning: 'Served.' },
  cancelled: { fault: 'none', meaning: 'The caller disconnected before the response was complete.' },
  stalled: { fault: 'caller', meaning: 'The caller read its download too slowly and was cut off.' },
  errors: {
    fault: 'unclear',
    meaning: 'The upstream answered with GraphQL errors: its own, or because of what was asked.',
  },
  invalid_request: { fault: 'caller', meaning: 'The request has the wrong shape: a bug in the frontend.' },
  unauthenticated: { fault: 'caller', meaning: 'The end-user token is missing, expired or forged.' },
  invalid_signature: { fault: 'caller', meaning: 'The signature of a webhook matches no secret.' },
  hirer_forbidden: {
    fault: 'caller',
    meaning: 'The user does not belong to the hirer, or the hirer does not exist.',
  },
  scope_forbidden: { fault: 'caller', meaning: "A scope or operation that the user's role does not allow." },
  csrf_failed: {
    fault: 'caller',
    meaning: 'A cookie without the header or origin that prove that your own page sent it.',
  },
  hirer_not_connected: {
    fault: 'caller',
    meaning: 'The upstream knows no relationship between you and this hirer.',
  },
  not_found: { fault: 'caller', meaning: 'The link is altered or expired, or belongs to another user.' },
  method_not_allowed: { fault: 'caller', meaning: 'The address does not accept this method.' },
  request_timeout: { fault: 'caller', meaning: 'The request did not arrive completely in time.' },
  payload_too_large: { fault: 'caller', meaning: 'The body is too large.' },
  batch_limit_exceeded: { fault: 'caller', meaning: 'The array holds too many operations.' },
  persisted_query_not_found: {
    fault: 'caller',
    meaning: 'The operation is not registered: was the frontend released before this service?',
  },
  unsupported_media_type: { fault: 'caller', meaning: 'The body was not sent as JSON.' },
  headers_too_large: { fault: 'caller', meaning: 'The headers are too large: mostly cookies.' },
  rate_limited: {
    fault: 'caller',
    meaning: 'The user sent too many requests, or the upstream limits this service.',
  },
  internal_error: { fault: 'service', meaning: 'A bug in this service: check the log.' },
  upstream_error: {
    fault: 'upstream',
    meaning: 'The upstream sent an error or an invalid response, or the connection broke.',
  },
  upstream_timeout: { fault: 'upstream', meaning: 'The upstream did not answer in time.' },
  unavailable: {
    fault: 'dependency',
    meaning: 'Calls to the upstream are held back, or the partner token or the database is missing.',
  },
};

/** Counts by outcome. */
export type Counts = Readonly<Record<string, number>>;

/** The requests of one kind, by whose fault they were not served. */
export interface Tally {
  readonly all: number;
  /** Through no fault of the caller. */
  readonly failed: number;
  /** Through the caller's own fault. */
  readonly refused: number;
  /** Answered by the upstream with errors. */
  readonly errors: number;
}

/** Sums up the outcomes of requests. An outcome that is not in the table counts as a failure. */
export function tallyOf(counts: Counts): Tally {
  const tally = { all: 0, failed: 0, refused: 0, errors: 0 };
  for (const [outcome, count] of Object.entries(counts)) {
    const fault = OUTCOMES[outcome as ErrorCode]?.fault ?? 'service';
    tally.all += count;
    if (fault === 'caller') tally.refused += count;
    else if (fault === 'unclear') tally.errors += count;
    else if (fault !== 'none') tally.failed += count;
  }
  return tally;
}
