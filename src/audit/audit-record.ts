/** The record of one request or action. Never holds a token: `tokenHash` is the start of its SHA-256. */
export interface AuditRecord {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly requestId: string;
  readonly sessionId?: string | undefined;
  /** The kind of request: `token`, `graphql`, `attachment`, `membership.grant` … */
  readonly action: string;
  /** The user's pseudonym, as the upstream knows it. */
  readonly user?: string | undefined;
  /** Of an aggregate, as `reason` and `address`, what all of its requests had. */
  readonly hirerId?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly scopesAsked?: readonly string[] | undefined;
  readonly scopesGranted?: readonly string[] | undefined;
  /** `issued`, `ok`, or the error code. */
  readonly outcome: string;
  /** Where the answer came from: `cache`, `upstream` or `none`. */
  readonly source?: string | undefined;
  /** Until the end of the answer. */
  readonly ms?: number | undefined;
  readonly upstreamRequestId?: string | undefined;
  /** Names of the registered operations that were called; of other texts, the fields that they ask for. */
  readonly operations?: readonly string[] | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt?: number | undefined;
  readonly tokenHash?: string | undefined;
  /** The operator of an ops action, as far as known. */
  readonly actor?: string | undefined;
  /** Where an ops action, or a request without a valid user, came from: an IP address, or `process`. */
  readonly address?: string | undefined;
  /** Why a request without a valid user was refused: a word of `TOKEN_FAULTS`. */
  readonly reason?: string | undefined;
  /** The refused token's own header: printable, at most 100 characters each. */
  readonly kid?: string | undefined;
  readonly alg?: string | undefined;
  /** Requests that this record stands for; one, when there is no count. `requestId` is that of the first. */
  readonly count?: number | undefined;
  /** Time of the first and last of them, epoch milliseconds. */
  readonly firstAt?: number | undefined;
  readonly lastAt?: number | undefined;
  /** The subject of an ops action: the name of a setting, an event's id. */
  readonly subject?: string | undefined;
}

/** Which records to list; the latest first. */
export interface AuditFilter {
  /** Pseudonyms; records of any of them. */
  readonly users?: readonly string[] | undefined;
  readonly hirer?: string | undefined;
  readonly outcome?: string | undefined;
  readonly action?: string | undefined;
  /** The id of our request, which is that of its first upstream call too. */
  readonly request?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  readonly until?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** A record as JSON: times in ISO 8601, null for what does not apply to the action, or is not known. */
export type AuditView = ReturnType<typeof toView>;

/** The record for an answer. */
export function toView({ firstAt, lastAt, ...record }: AuditRecord) {
  return {
    ...record,
    time: toIso(record.time),
    sessionId: record.sessionId ?? null,
    user: record.user ?? null,
    hirerId: record.hirerId ?? null,
    scopesAsked: record.scopesAsked ?? null,
    scopesGranted: record.scopesGranted ?? null,
    source: record.source ?? null,
    expiresAt: record.expiresAt === undefined ? null : toIso(record.expiresAt),
    tokenHash: record.tokenHash ?? null,
    ...(firstAt !== undefined && { firstAt: toIso(firstAt) }),
    ...(lastAt !== undefined && { lastAt: toIso(lastAt) }),
  };
}

/** The last time that there is in place of a later one (ECMA-262, Time Values). */
function toIso(time: number): string {
  return new Date(Math.min(time, 8.64e15)).toISOString();
}
