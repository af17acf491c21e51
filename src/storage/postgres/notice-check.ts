import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { LATE, within } from '../../concurrency/within.js';

/** A server delivers a notice as soon as its transaction has committed. */
const DELIVERY_MS = 3_000;

/**
 * True if what `publish` sends arrives at a connection that only waits. Through a pooler in transaction mode it does
 * not: `LISTEN` ran in a session that belongs to someone else by now. Nor does it from another database.
 * @param settings of the connection that listens
 * @throws the driver's error when it cannot be opened
 */
export async function noticesArrive(
  settings: pg.ClientConfig,
  publish: (channel: string) => Promise<void>,
  timeoutMs = DELIVERY_MS,
): Promise<boolean> {
  const channel = `partner_bff_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client(settings);
  client.on('error', () => undefined); // the queries reject with it
  try {
    await client.connect();
    const arrived = new Promise((resolve) => client.once('notification', resolve));
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    await publish(channel);
    return (await within(timeoutMs, arrived)) !== LATE;
  } finally {
    await client.end().catch(() => undefined);
  }
}
