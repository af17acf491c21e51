import pg from 'pg';
import type {
  Database,
  Durability,
  NoticeListener,
  Queryable,
  Row,
  SqlValue,
  Subscription,
} from './database.js';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const RELISTEN_DELAY_MS = 1_000;

interface Listener {
  readonly channel: string;
  readonly onMessage: NoticeListener;
  readonly onGap: () => void;
  live: boolean;
}

/** PostgreSQL, for any number of replicas. 64-bit integers are read as numbers: ours stay below 2^53. */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  private readonly pool: pg.Pool;
  private readonly listeners: Listener[] = [];
  private connection: Promise<pg.Client> | undefined;
  private hearing: Promise<unknown> = Promise.resolve();
  private relisten: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly url: string) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      types: { getTypeParser: readIntegersAsNumbers },
    });
    this.pool.on('error', () => undefined); // an idle connection broke; the next query opens another
    // a connection that breaks while in use fails its queries; unheard, its `error` would end the process
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    return (await this.pool.query<R>(sql, [...parameters])).rows;
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, durability: Durability = 'now'): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      if (durability === 'later') await client.query('SET LOCAL synchronous_commit = off');
      const result = await work({
        query: async <R extends Row>(sql: string, parameters: readonly SqlValue[] = []) =>
          (await client.query<R>(sql, [...parameters])).rows,
      });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((error: Error) => (broken = error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.query('SELECT pg_notify($1, $2)', [channel, message]);
  }

  subscribe(channel: string, onMessage: NoticeListener, onGap: () => void): Subscription {
    const listener: Listener = { channel, onMessage, onGap, live: false };
    this.listeners.push(listener);
    if (this.connection) this.hearLater(listener);
    else this.listen();
    return { isLive: () => listener.live };
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.relisten);
    await this.connection?.then((client) => client.end()).catch(() => undefined);
    await this.pool.end();
  }

  /** One after the other, since a connection takes one query at a time. */
  private hearLater(listener: Listener): void {
    this.hearing = this.hearing
      .then(() => this.connection)
      .then((client) => client && hear(listener, client))
      .catch(() => undefined);
  }

  /** One connection of its own, for as long as it lasts; a new one, and a gap reported, when it breaks. */
  private listen(): void {
    this.connection = this.openListener();
    this.connection.catch(() => this.listenAgain());
  }

  private async openListener(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    let ended = false;
    const end = (): void => {
      if (!ended) this.listenAgain();
      ended = true;
    };
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ channel, payload }) => {
      for (const to of this.listeners) if (to.channel === channel) to.onMessage(payload ?? '');
    });
    await client.connect();
    for (const listener of this.listeners) await hear(listener, client);
    return client;
  }

  private listenAgain(): void {
    if (this.closed || this.relisten) return;
    for (const listener of this.listeners) {
      listener.live = false;
      listener.onGap();
    }
    this.relisten = setTimeout(() => {
      this.relisten = undefined;
      this.listen();
    }, RELISTEN_DELAY_MS).unref();
  }
}

/** From here on nothing is missed; what came before may have been. */
async function hear(listener: Listener, client: pg.Client): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(listener.channel)}`);
  listener.live = true;
  listener.onGap();
}

const INT8: number = pg.types.builtins.INT8;

function readIntegersAsNumbers(oid: number, format?: string): unknown {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
