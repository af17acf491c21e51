import { hash } from 'node:crypto';
import type { Queryable } from '../../storage/database.js';
import { placeholders } from './event-sql.js';

/** No two of all events that there will ever be have the same. */
const DIGEST_BYTES = 16;

/** What a statement found. */
interface Known {
  readonly found: readonly string[];
  /** Those whose records were deleted. */
  readonly past: readonly string[];
}

/** Notes that the records of these events are deleted. Part of the transaction that deletes them. */
export async function rememberPast(tx: Queryable, keys: readonly string[]): Promise<void> {
  const rows = keys.map((_, index) => `($${index + 1})`).join(', ');
  await tx.query(
    `INSERT INTO past_events (digest) VALUES ${rows} ON CONFLICT (digest) DO NOTHING`,
    keys.map(digestOf),
  );
}

/** Those of these keys whose records were deleted. */
export async function pastAmong(database: Queryable, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query<{ digest: Uint8Array }>(
    selectPast('digest', keys.length),
    keys.map(digestOf),
  );
  return namesOf(rows, keys);
}

/**
 * Asks for rows of `events`, and in the same statement which of some keys are of records that were deleted: a further
 * round trip would make every webhook slower.
 * @param select the texts to find, up to its `IN`
 */
export async function findWithPast(
  tx: Queryable,
  select: { readonly text: string; readonly condition: string },
  values: readonly string[],
  keys: readonly string[],
): Promise<Known> {
  const rows = await tx.query<{ text: string | null; digest: Uint8Array | null }>(
    `SELECT ${select.text} AS text, NULL AS digest FROM events
     WHERE ${select.condition} AND ${select.text} IN (${placeholders(values.length)})
     UNION ALL ${selectPast('NULL, digest', keys.length, values.length + 1)}`,
    [...values, ...keys.map(digestOf)],
  );
  return { found: rows.flatMap(({ text }) => text ?? []), past: namesOf(rows, keys) };
}

function selectPast(columns: string, count: number, from = 1): string {
  return `SELECT ${columns} FROM past_events WHERE digest IN (${placeholders(count, from)})`;
}

function namesOf(rows: readonly { readonly digest: Uint8Array | null }[], keys: readonly string[]): string[] {
  const digests = new Set(rows.flatMap(({ digest }) => (digest ? hexOf(digest) : [])));
  return digests.size === 0 ? [] : keys.filter((key) => digests.has(hexOf(digestOf(key))));
}

function digestOf(key: string): Uint8Array {
  return new Uint8Array(hash('sha256', key, 'buffer').subarray(0, DIGEST_BYTES));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
