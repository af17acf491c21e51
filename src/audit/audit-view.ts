import type { AuditRecord } from './audit-record.js';

/** Members of every record as JSON; the others stand only where there is something to say. */
type Always =
  'sessionId' | 'user' | 'hirerId' | 'scopesAsked' | 'scopesGranted' | 'source' | 'expiresAt' | 'tokenHash';
type Times = 'time' | 'firstAt' | 'lastAt';

/** A record as JSON: times in ISO 8601, null for what does not apply to the action, or is not known. */
export type AuditView = Omit<AuditRecord, Always | Times> & {
  readonly time: string;
  readonly sessionId: string | null;
  /** The user's pseudonym, as the upstream knows it. */
  readonly user: string | null;
  readonly hirerId: string | null;
  readonly scopesAsked: readonly string[] | null;
  readonly scopesGranted: readonly string[] | null;
  /** Where the answer came from: `cache`, `upstream` or `none`. */
  readonly source: string | null;
  readonly expiresAt: string | null;
  readonly tokenHash: string | null;
  readonly firstAt?: string;
  readonly lastAt?: string;
};

/** The record for an answer. */
export function toView({ firstAt, lastAt, ...record }: AuditRecord): AuditView {
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
