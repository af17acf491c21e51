import { Socket } from 'node:net';
import pg from 'pg';
import { StoreError } from '../../errors/store-error.js';
import type { Log } from '../../telemetry/log.js';
import type {
  Database,
  Durability,
  NoticeListener,
  Row,
  SqlValue,
  Subscription,
  Transaction,
} from '../database.js';
import { POSTGRES_DIALECT } from './postgres-dialect.js';
import { isReply, toStoreError } from './postgres-fault.js';
import { noticesArrive } from './notice-check.js';
import { PostgresNotices } from './postgres-notices.js';
import { PostgresWatch } from './postgres-watch.js';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const LONG_STATEMENT_TIMEOUT_MS = 3_600_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const SESSION_BOUNDS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
};
/** Whatever the database begins with: what is read under a lock must be what was committed while it was waited for. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** Whether a commit waits for the disk: the database may say that none does, or that standbys are waited for, too. */
const SYNCHRONIZED: Readonly<Record<Durability, string>> = {
  now: `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`,
  later: 'SET LOCAL synchronous_commit = off',
};
const TRANSACTION_BOUNDS = Object.entries(SESSION_BOUNDS).map(([name, ms]) => `SET LOCAL ${name} = ${ms}`);

/**
 * PostgreSQL, for any number of replicas. 64-bit integers are read as numbers: ours stay below 2^53. The server ends a
 * transaction that sends nothing for 10 s: a replica whose machine is gone must not hold its locks any longer. When the
 * server is gone, a network that drops everything included, what is under way fails within 4 s, and what follows at
 * once, until the server answers a new connection; it is tried once a second.
 *
 * Behind a pooler in transaction mode (PgBouncer), statements share the server's sessions with others: whatever is set
 * is set for one transaction, and only notices have a connection of their own, to the server itself.
 */
export class PostgresDatabase implements Database {
  readonly sql = POSTGRES_DIALECT;
  readonly setting = 'DATABASE_URL';
  readonly statementMsMax = STATEMENT_TIMEOUT_MS;
  private readonly pool: pg.Pool;
  private readonly notices: PostgresNotices;
  private readonly watch: PostgresWatch | undefined;
  /** Of every connection but those that check the server. */
  private readonly sockets = new Set<Socket>();
  private readonly listenSettings: pg.ClientConfig;
  private readonly begin: string;

  /**
   * @param log receives a line when the server goes down and when it answers again
   * @param listenUrl the server itself, for notices, where `url` names a pooler
   */
  constructor(url: string, log?: Pick<Log, 'info' | 'warn'>, listenUrl?: string) {
    const settings = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
    };
    const tracked = { ...settings, stream: () => this.openSocket() };
    this.listenSettings = { ...tracked, connectionString: listenUrl ?? url };
    this.begin = [BEGIN, ...(listenUrl === undefined ? [] : TRANSACTION_BOUNDS)].join('; ');
    this.pool = new pg.Pool({
      ...tracked,
      max: CONNECTIONS_MAX,
      ...(listenUrl === undefined && SESSION_BOUNDS), // a pooler refuses them
      types: { getTypeParser: readIntegersAsNumbers },
    });
    this.watch =
      log &&
      new PostgresWatch(
        () => connectOnce(settings),
        log,
        () => this.disconnect(),
      );
    this.notices = new PostgresNotices(this.listenSettings, this.suspect);
    this.pool.on('error', this.suspect); // an idle connection broke; the next query opens another
    // a connection that breaks in use fails its query; without a listener, its `error` would end the process
    this.pool.on('connect', (client) => client.on('error', this.suspect));
  }

  async query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    this.refuseIfGone();
    return (await this.answered(this.pool.query<R>(sql, [...parameters]))).rows;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, durability: Durability = 'now'): Promise<T> {
    this.refuseIfGone();
    const client = await this.answered(this.pool.connect());
    let broken: Error | undefined;
    try {
      const result = await work(this.transactionOn(client, `${this.begin}; ${SYNCHRONIZED[durability]}`));
      await this.answered(client.query('COMMIT'));
      return result;
    } catch (error) {
      if (isLost(error)) broken = error;
      else await this.answered(client.query('ROLLBACK')).catch((error: Error) => (broken = error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** @param begin goes with the first statement where that is a lock: each round trip takes its time */
  private transactionOn(client: pg.PoolClient, begin: string): Transaction {
    let timeoutMs = STATEMENT_TIMEOUT_MS;
    let before: string | undefined = begin;
    const send = async (text: string): Promise<void> => {
      before = undefined;
      await this.answered(client.query({ text, query_timeout: timeoutMs } as pg.QueryConfig));
    };
    const query = async <R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> => {
      if (before !== undefined) await send(before);
      const statement = { text: sql, values: [...parameters], query_timeout: timeoutMs };
      return (await this.answered(client.query<R>(statement))).rows;
    };
    const lock = async (key: number): Promise<void> => {
      await send(`${before === undefined ? '' : `${before}; `}SELECT pg_advisory_xact_lock(${key})`);
    };
    const liftDeadline = async (): Promise<void> => {
      timeoutMs = LONG_STATEMENT_TIMEOUT_MS;
      await query(`SET LOCAL statement_timeout = ${LONG_STATEMENT_TIMEOUT_MS}`);
    };
    return { sql: POSTGRES_DIALECT, query, lock, liftDeadline };
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.query('SELECT pg_notify($1, $2)', [channel, message]);
  }

  subscribe(channel: string, onMessage: NoticeListener, onGap: () => void): Subscription {
    return this.notices.subscribe(channel, onMessage, onGap);
  }

  /**
   * True if notices arrive that are sent through the pool.
   * @throws the driver's error when their connection cannot be opened
   */
  noticesArrive(): Promise<boolean> {
    return noticesArrive(this.listenSettings, (channel) => this.publish(channel, ''));
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  async backup(): Promise<undefined> {}

  async close(): Promise<void> {
    await this.watch?.close();
    await this.notices.close();
    await this.pool.end();
  }

  /** @throws StoreError where the server is at fault */
  private async answered<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.suspect(error);
      throw toStoreError(error);
    }
  }

  /** @throws StoreError */
  private refuseIfGone(): void {
    const cause = this.watch?.whyGone;
    if (cause !== undefined) throw new StoreError('database', 'the server does not answer', { cause });
  }

  private openSocket(): Socket {
    const socket = new Socket();
    this.sockets.add(socket);
    return socket.once('close', () => this.sockets.delete(socket));
  }

  /** Fails every statement under way: the system would wait many minutes for an answer that was lost. */
  private disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private readonly suspect = (error: unknown): void => this.watch?.suspect(error);
}

/** True for an error after which a connection answers nothing more: it broke, or an answer is late. */
function isLost(error: unknown): error is StoreError {
  return error instanceof StoreError && error.cause !== undefined && !isReply(error.cause);
}

/** On a new connection, since an idle one of the pool may be broken; a pooler accepts one before its server answers. */
async function connectOnce(settings: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(settings);
  client.on('error', () => undefined); // the promises reject with it
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
}

const INT8: number = pg.types.builtins.INT8;

function readIntegersAsNumbers(oid: number, format?: string): unknown {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
