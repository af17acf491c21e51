import pg from 'pg';
import { every, type Loop } from '../../concurrency/every.js';
import { LATE, within } from '../../concurrency/within.js';
import type { Log } from '../../telemetry/log.js';
import type { NoticeListener, Subscription } from '../database.js';

/** How soon a connection that broke is opened again. */
const LOOK_MS = 1_000;
/** How often it is asked whether it is alive, and how long that may take: lost notices are known within 12 s. */
const HEARTBEAT_MS = 10_000;
const ANSWER_MS = 2_000;
/** The connection's name in `pg_stat_activity`. */
const APPLICATION_NAME = 'partner-bff notices';

interface Listener {
  readonly channel: string;
  readonly onMessage: NoticeListener;
  readonly onGap: () => void;
  live: boolean;
}

/**
 * Receives notices (`LISTEN`) on one connection of its own, and logs when it is lost and when it is there again. When it
 * breaks or falls silent, every listener is notified of the gap, and it is opened again.
 */
export class PostgresNotices {
  private readonly listeners: Listener[] = [];
  private readonly loop: Loop;
  private client: pg.Client | undefined;
  private heardAt = -Infinity;
  private isLost = false;

  constructor(
    private readonly settings: pg.ClientConfig,
    private readonly log: Pick<Log, 'info' | 'warn'> | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.loop = every(
      LOOK_MS,
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
    if (this.now() - this.heardAt >= HEARTBEAT_MS) await this.hear(client);
    for (const listener of this.listeners) if (!listener.live) await startListening(listener, client);
  }

  private async hear(client: pg.Client): Promise<void> {
    if ((await within(ANSWER_MS, client.query('SELECT 1'))) === LATE) {
      throw new Error(`no answer within ${ANSWER_MS} ms`);
    }
    this.heardAt = this.now();
    if (this.isLost) this.log?.info('PostgreSQL answers again');
    this.isLost = false;
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

  /** Ends the connection, which is opened again: its address may lead to another server by now. */
  drop(error: unknown): void {
    const { client } = this;
    this.client = undefined;
    client?.end().catch(() => undefined);
    for (const listener of this.listeners) {
      listener.live = false;
      listener.onGap();
    }
    this.heardAt = -Infinity;
    if (!this.isLost) this.log?.warn({ err: error }, 'the connection to PostgreSQL was lost');
    this.isLost = true;
  }
}

/** From here on nothing is missed; earlier messages may have been. */
async function startListening(listener: Listener, client: pg.Client): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(listener.channel)}`);
  listener.live = true;
  listener.onGap();
}
