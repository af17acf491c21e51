import pg from 'pg';
import { every, type Loop } from '../../concurrency/every.js';
import type { Subscription } from '../database.js';

/** How soon a connection that broke is opened again, and how often one that is open is asked whether it is alive. */
const REOPEN_MS = 1_000;
const HEARTBEAT_MS = 10_000;
/** The connection's name in `pg_stat_activity`. */
const APPLICATION_NAME = 'partner-bff notices';

interface Listener {
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  readonly onGap: () => void;
  isLive: boolean;
}

/**
 * Receives notices (`LISTEN`) on one connection of its own. When it breaks or falls silent, which is known within 14 s,
 * every listener is notified of the gap, and it is opened again.
 */
export class PostgresNotices {
  private readonly listeners: Listener[] = [];
  private readonly loop: Loop;
  private client: pg.Client | undefined;

  /** @param settings with a `query_timeout` */
  constructor(private readonly settings: pg.ClientConfig) {
    this.loop = every(
      () => (this.client ? HEARTBEAT_MS : REOPEN_MS),
      () => this.listen(),
      () => this.drop(),
    );
  }

  subscribe(channel: string, onMessage: Listener['onMessage'], onGap: () => void): Subscription {
    const listener: Listener = { channel, onMessage, onGap, isLive: false };
    this.listeners.push(listener);
    this.loop.wake();
    return listener;
  }

  async close(): Promise<void> {
    await this.loop.stop();
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Ends the connection, which is opened again: its address may lead to another server by now. */
  drop(): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => undefined);
    for (const listener of this.listeners) {
      listener.isLive = false;
      listener.onGap();
    }
    this.loop.wake();
  }

  /** Repeated for every channel at each heartbeat, which costs the server nothing. From then on no message is missed. */
  private async listen(): Promise<void> {
    const asked = [...this.listeners];
    if (asked.length === 0) return;
    const client = (this.client ??= await this.connect());
    await client.query(asked.map(({ channel }) => `LISTEN ${pg.escapeIdentifier(channel)}`).join('; '));
    if (client !== this.client) return;
    for (const listener of asked.filter(({ isLive }) => !isLive)) {
      listener.isLive = true;
      listener.onGap();
    }
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.settings, application_name: APPLICATION_NAME });
    const onEnd = (): void => {
      if (client === this.client) this.drop();
    };
    client.on('error', onEnd);
    client.on('end', onEnd);
    client.on('notification', ({ channel, payload }) => {
      for (const to of this.listeners) if (to.channel === channel) to.onMessage(payload ?? '');
    });
    await client.connect();
    return client;
  }
}
