import type { AuditRecord } from './audit-record.js';

/** A record as JSON: times in ISO 8601. */
export type AuditView = Omit<AuditRecord, 'time' | 'expiresAt' | 'firstAt' | 'lastAt'> & {
  readonly time: string;
  readonly expiresAt?: string;
  readonly firstAt?: string;
  readonly lastAt?: string;
};

/** The record for an answer. */
export function toView({ time, expiresAt, firstAt, lastAt, ...rest }: AuditRecord): AuditView {
  return {
    time: new Date(time).toISOString(),
    ...rest,
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(firstAt !== undefined && { firstAt: new Date(firstAt).toISOString() }),
    ...(lastAt !== undefined && { lastAt: new Date(lastAt).toISOString() }),
  };
}
