import type { Culprit } from '../../errors/culprit.js';
import type { ErrorCode } from '../../errors/error-codes.js';

/**
 * The party that can change a request's outcome: nobody needs to, the caller, the upstream or another dependency by its
 * name in `/readyz`, the load on this service, or the service itself. `unclear`: the counts do not show it.
 */
export type Fault = Culprit | 'none' | 'service' | 'unclear';

/** The meaning of an outcome to the person on call. */
export interface OutcomeMeaning {
  readonly fault: Fault;
  readonly meaning: string;
  /** The upstream did answer, with GraphQL errors: neither refused nor failed. */
  readonly answered?: true;
}

/** Outcomes that are no error code: of tokens, GraphQL operations, downloads and webhooks. */
type OtherOutcome = 'accepted' | 'issued' | 'ok' | 'errors' | 'cancelled' | 'stalled';

/** Outcomes that do not say who is to blame, with who is: `rate_limited@upstream`. */
type BlamedOutcome =
  `errors@${'caller' | 'upstream'}` | 'rate_limited@upstream' | `unavailable@${Exclude<Culprit, 'caller'>}`;

/**
 * Every outcome of a request that an end user makes, by its name in metrics and audit trail, with the culprit if known.
 */
export const OUTCOMES: Readonly<Record<ErrorCode | OtherOutcome | BlamedOutcome, OutcomeMeaning>> = {
  issued: { fault: 'none', meaning: 'A token was issued.' },
  accepted: { fault: 'none', meaning: 'The events of the webhook are stored.' },
  ok: { fault: 'none', meaning: 'Served.' },
  cancelled: { fault: 'none', meaning: 'The caller disconnected before the response was complete.' },
  stalled: { fault: 'caller', meaning: 'The caller read its download too slowly and was cut off.' },
  errors: {
    fault: 'unclear',
    answered: true,
    meaning: 'The upstream answered with GraphQL errors: its own, or because of what was asked.',
  },
  'errors@caller': {
    fault: 'caller',
    answered: true,
    meaning: 'The upstream refused what was asked: BAD_USER_INPUT, FORBIDDEN or the like.',
  },
  'errors@upstream': {
    fault: 'upstream',
    answered: true,
    meaning: 'The upstream failed and said so in GraphQL errors: INTERNAL_SERVER_ERROR, RATE_LIMITED.',
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
  misdirected_request: {
    fault: 'caller',
    meaning: 'In playground mode, the request was for another host than this machine.',
  },
  headers_too_large: { fault: 'caller', meaning: 'The headers are too large: mostly cookies.' },
  rate_limited: { fault: 'caller', meaning: 'The user was above a limit of this service.' },
  'rate_limited@upstream': {
    fault: 'upstream',
    meaning: 'The upstream answered 429: this service is above its rate limit.',
  },
  internal_error: { fault: 'service', meaning: 'A bug in this service: check the log.' },
  upstream_error: {
    fault: 'upstream',
    meaning: 'The upstream sent an error or an invalid response, or the connection broke.',
  },
  upstream_timeout: { fault: 'upstream', meaning: 'The upstream did not answer in time.' },
  unavailable: { fault: 'unclear', meaning: 'Not served for want of something; the log line says what.' },
  'unavailable@upstream': {
    fault: 'upstream',
    meaning: 'The upstream answered 503, or calls are held back because it fails.',
  },
  'unavailable@issuer': { fault: 'issuer', meaning: 'There is no partner token: the issuer gives none.' },
  'unavailable@database': { fault: 'database', meaning: 'The database did not answer, or with an error.' },
  'unavailable@membership-service': {
    fault: 'membership-service',
    meaning: 'The membership service did not answer, so nobody knows whether the user may.',
  },
  'unavailable@end-user-keys': {
    fault: 'end-user-keys',
    meaning: 'Users cannot be verified: the keys of the identity provider are missing.',
  },
  'unavailable@cache': { fault: 'cache', meaning: 'Redis did not answer, and this cannot do without it.' },
  'unavailable@load': { fault: 'load', meaning: 'More at once than this replica takes.' },
};

/** Counts by outcome. */
export type Counts = Readonly<Record<string, number>>;

/** The requests of one kind, by whose fault they were not served. */
export interface Tally {
  readonly all: number;
  /** Through no fault of the caller. */
  readonly failed: number;
  /** The failed ones, by whose fault they are. */
  readonly failedBy: Counts;
  /** Through the caller's own fault. */
  readonly refused: number;
  /** Answered by the upstream with errors. */
  readonly errors: number;
}

/** The meaning of an outcome. One that is not in the table is a fault of the service. */
export function meaningOf(outcome: string): OutcomeMeaning {
  return OUTCOMES[outcome as ErrorCode] ?? { fault: 'service', meaning: '' };
}

/** True if requests with this outcome failed through no fault of the caller. */
export function isFailure(outcome: string): boolean {
  const { fault, answered } = meaningOf(outcome);
  return !answered && fault !== 'none' && fault !== 'caller';
}

/** Sums up the outcomes of requests. */
export function tallyOf(counts: Counts): Tally {
  const failedBy: Record<string, number> = {};
  const tally = { all: 0, failed: 0, refused: 0, errors: 0 };
  for (const [outcome, count] of Object.entries(counts)) {
    const { fault, answered } = meaningOf(outcome);
    tally.all += count;
    if (answered) tally.errors += count;
    else if (fault === 'caller') tally.refused += count;
    if (!isFailure(outcome)) continue;
    tally.failed += count;
    failedBy[fault] = (failedBy[fault] ?? 0) + count;
  }
  return { ...tally, failedBy };
}
