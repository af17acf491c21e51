import { hash } from 'node:crypto';
import type { Transaction } from '../../storage/database.js';
import { placeholders } from './event-sql.js';

/** 16 bytes: no two of all events that there will ever be have the same. */
const DIGEST_HEX_DIGITS = 32;

/** A database, or a transaction on it. */
type Store = Pick<Transaction, 'query' | 'sql'>;

/** What a statement found. */
interface Known {
  readonly found: readonly string[];
  /** Those whose records were deleted. */
  readonly past: readonly string[];
}

/** Notes that the records of these events are deleted. Part of the transaction that deletes them. */
export async function rememberPast(tx: Store, keys: readonly string[]): Promise<void> {
  const rows = keys.map((_, index) => `(${tx.sql.fromHex(`$${index + 1}`)})`).join(', ');
  await tx.query(
    `INSERT INTO past_events (digest) VALUES ${rows} ON CONFLICT (digest) DO NOTHING`,
    keys.map(digestOf),
  );
}

/** Those of these keys whose records were deleted. */
export async function pastAmong(database: Store, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query<{ digest: Uint8Array }>(
    selectPast(database, 'digest', keys.length),
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
  tx: Store,
  select: { readonly text: string; readonly condition: string },
  values: readonly string[],
  keys: readonly string[],
): Promise<Known> {
  const rows = await tx.query<{ text: string | null; digest: Uint8Array | null }>(
    `SELECT ${select.text} AS text, NULL AS digest FROM events
     WHERE ${select.condition} AND ${select.text} IN (${placeholders(values.length)})
     UNION ALL ${selectPast(tx, 'NULL, digest', keys.length, values.length + 1)}`,
    [...values, ...keys.map(digestOf)],
  );
  return { found: rows.flatMap(({ text }) => text ?? []), past: namesOf(rows, keys) };
}

function selectPast({ sql }: Store, columns: string, count: number, from = 1): string {
  const digests = Array.from({ length: count }, (_, index) => sql.fromHex(`$${from + index}`));
  return `SELECT ${columns} FROM past_events WHERE digest IN (${digests.join(', ')})`;
}

function namesOf(rows: readonly { readonly digest: Uint8Array | null }[], keys: readonly string[]): string[] {
  const digests = new Set(rows.flatMap(({ digest }) => (digest ? hexOf(digest) : [])));
  return digests.size === 0 ? [] : keys.filter((key) => digests.has(digestOf(key)));
}

/** In hexadecimal. */
function digestOf(key: string): string {
  return hash('sha256', key).slice(0, DIGEST_HEX_DIGITS);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
