import { hash } from 'node:crypto';
import type { Transaction } from '../../storage/database.js';

/** 16 bytes: no two of all events that there will ever be have the same. */
const DIGEST_HEX_DIGITS = 32;

/** A database, or a transaction on it. */
type Store = Pick<Transaction, 'query' | 'sql'>;

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
  const digests = keys.map((_, index) => database.sql.fromHex(`$${index + 1}`));
  const rows = await database.query<{ digest: Uint8Array }>(
    `SELECT digest FROM past_events WHERE digest IN (${digests.join(', ')})`,
    keys.map(digestOf),
  );
  return namesOf(rows, keys);
}

function namesOf(rows: readonly { readonly digest: Uint8Array }[], keys: readonly string[]): string[] {
  const digests = new Set(rows.map(({ digest }) => hexOf(digest)));
  return digests.size === 0 ? [] : keys.filter((key) => digests.has(digestOf(key)));
}

/** What `past_events` holds of a key, in hexadecimal. */
export function digestOf(key: string): string {
  return hash('sha256', key).slice(0, DIGEST_HEX_DIGITS);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
