import pg from 'pg';
import { every, type Loop } from '../../concurrency/every.js';
import { answerWithin, LATE } from '../../concurrency/within.js';
import type { NoticeListener, Subscription } from '../database.js';

/** Twice this time after the connection fell silent it is known to be lost. */
const HEARTBEAT_MS = 500;
/** The connection's name in `pg_stat_activity`. */
const APPLICATION_NAME = 'partner-bff notices';

interface Listener {
  readonly channel: string;
  readonly onMessage: NoticeListener;
  readonly onGap: () => void;
  live: boolean;
}

/**
 * Receives notices (`LISTEN`) on one connection of its own, which is asked every half second whether it is alive. When
 * it breaks or falls silent, every listener is notified of the gap, and it is opened again.
 */
export class PostgresNotices {
  private readonly listeners: Listener[] = [];
  private readonly loop: Loop;
  private client: pg.Client | undefined;

  /** @param onFault called each time the connection breaks or cannot be opened */
  constructor(
    private readonly settings: pg.ClientConfig,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.loop = every(
      HEARTBEAT_MS,
      () => this.listen(),
      (error) => this.drop(error),
    );
  }

  subscribe(channel: string, onMessage: NoticeListener, onGap: () => void): Subscription {
    const listener: Listener = { channel, onMessage, onGap, live: false };
    this.listeners.push(listener);
    this.loop.wake();
    return { isLive: () => listener.live };
  }

  async close(): Promise<void> {
    await this.loop.stop();
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** One statement after the other, since a connection takes one at a time. */
  private async listen(): Promise<void> {
    if (this.listeners.length === 0) return;
    const client = (this.client ??= await this.connect());
    if ((await answerWithin(HEARTBEAT_MS, client.query('SELECT 1'))) === LATE) {
      throw new Error(`no answer within ${HEARTBEAT_MS} ms`);
    }
    for (const listener of this.listeners) if (!listener.live) await startListening(listener, client);
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.settings, application_name: APPLICATION_NAME });
    const onEnd = (error: unknown): void => {
      if (client === this.client) this.drop(error ?? new Error('the server closed the connection'));
    };
    client.on('error', onEnd);
    client.on('end', () => onEnd(undefined));
    client.on('notification', ({ channel, payload }) => {
      for (const to of this.listeners) if (to.channel === channel) to.onMessage(payload ?? '');
    });
    await client.connect();
    return client;
  }

  private drop(error: unknown): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => undefined);
    for (const listener of this.listeners) {
      listener.live = false;
      listener.onGap();
    }
    this.onFault(error);
  }
}

/** From here on nothing is missed; earlier messages may have been. */
async function startListening(listener: Listener, client: pg.Client): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(listener.channel)}`);
  listener.live = true;
  listener.onGap();
}
