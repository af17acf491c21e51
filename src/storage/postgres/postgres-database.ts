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
import { PostgresNotices } from './postgres-notices.js';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
/** Of the driver and of the server. A connection that is silent for so long is replaced. */
const STATEMENT_TIMEOUT_MS = 4_000;
const LONG_STATEMENT_TIMEOUT_MS = 3_600_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const SESSION_BOUNDS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
};
/** The message of node-postgres for a statement that was not answered in time; the error has no code. */
const LATE = 'Query read timeout';
/** Whatever the database begins with: what is read under a lock must be what was committed while it was waited for. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** Whether a commit waits for the disk: the database may say that none does, or that standbys are waited for, too. */
const SYNCHRONIZED: Readonly<Record<Durability, string>> = {
  now: `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`,
  later: 'SET LOCAL synchronous_commit = off',
};

/**
 * PostgreSQL, for any number of replicas. 64-bit integers are read as numbers: ours stay below 2^53. The server ends a
 * transaction that sends nothing for 10 s: a replica whose machine is gone must not hold its locks any longer. When the
 * server is gone, a network that drops everything included, a statement fails within 4 s and all connections are replaced.
 */
export class PostgresDatabase implements Database {
  readonly sql = POSTGRES_DIALECT;
  readonly setting = 'DATABASE_URL';
  private readonly settings: pg.PoolConfig;
  private pool: pg.Pool;
  private readonly notices: PostgresNotices;

  /** @param log receives a line when the server is lost and when it answers again */
  constructor(url: string, log?: Pick<Log, 'info' | 'warn'>) {
    const settings = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
    };
    this.settings = {
      ...settings,
      ...SESSION_BOUNDS,
      max: CONNECTIONS_MAX,
      types: { getTypeParser: readIntegersAsNumbers },
    };
    this.pool = this.openPool();
    this.notices = new PostgresNotices(settings, log);
  }

  async query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    const { pool } = this;
    return (await this.answered(pool.query<R>(sql, [...parameters]), pool)).rows;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, durability: Durability = 'now'): Promise<T> {
    const { pool } = this;
    const client = await this.answered(pool.connect(), pool);
    let broken: Error | undefined;
    try {
      const result = await work(this.transactionOn(client, `${BEGIN}; ${SYNCHRONIZED[durability]}`));
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

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  async backup(): Promise<undefined> {}

  async close(): Promise<void> {
    await this.notices.close();
    await this.pool.end();
  }

  private openPool(): pg.Pool {
    const pool = new pg.Pool(this.settings);
    pool.on('error', ignore); // an idle connection broke; the next query opens another
    // a connection that breaks in use fails its query; without a listener, its `error` would end the process
    pool.on('connect', (client) => client.on('error', ignore));
    return pool;
  }

  /** What one connection has not answered, the others would not answer either: the next statements open new ones. */
  private replace(pool: pg.Pool): void {
    if (pool !== this.pool || pool.ending) return;
    this.pool = this.openPool();
    pool.end().catch(ignore);
  }

  /** @throws StoreError where the server is at fault */
  private async answered<T>(work: Promise<T>, pool = this.pool): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if ((error as Error).message === LATE) this.replace(pool);
      throw toStoreError(error);
    }
  }
}

/** True for an error after which a connection answers nothing more: it broke, or an answer is late. */
function isLost(error: unknown): error is StoreError {
  return error instanceof StoreError && error.cause !== undefined && !isReply(error.cause);
}

function ignore(): void {}

const INT8: number = pg.types.builtins.INT8;

function readIntegersAsNumbers(oid: number, format?: string): unknown {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
