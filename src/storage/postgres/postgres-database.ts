import pg from 'pg';
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
import { toStoreError } from './postgres-fault.js';
import { PostgresNotices } from './postgres-notices.js';
import { PostgresWatch } from './postgres-watch.js';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * PostgreSQL, for any number of replicas. 64-bit integers are read as numbers: ours stay below 2^53. The server ends a
 * transaction that sends nothing for 10 s: a replica whose machine is gone must not hold its locks any longer.
 */
export class PostgresDatabase implements Database {
  readonly sql = POSTGRES_DIALECT;
  readonly setting = 'DATABASE_URL';
  private readonly pool: pg.Pool;
  private readonly notices: PostgresNotices;
  private readonly watch: PostgresWatch | undefined;

  /** @param log receives a line when the server goes down and when it answers again */
  constructor(url: string, log?: Pick<Log, 'info' | 'warn'>) {
    const settings = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
    };
    this.pool = new pg.Pool({
      ...settings,
      max: CONNECTIONS_MAX,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      types: { getTypeParser: readIntegersAsNumbers },
    });
    this.watch = log && new PostgresWatch(() => connectOnce(settings), log);
    this.notices = new PostgresNotices(settings, this.suspect);
    this.pool.on('error', this.suspect); // an idle connection broke; the next query opens another
    // a connection that breaks in use fails its query; without a listener, its `error` would end the process
    this.pool.on('connect', (client) => client.on('error', this.suspect));
  }

  async query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    return (await this.answered(this.pool.query<R>(sql, [...parameters]))).rows;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, durability: Durability = 'now'): Promise<T> {
    const client = await this.answered(this.pool.connect());
    let broken: Error | undefined;
    try {
      await this.answered(client.query('BEGIN'));
      if (durability === 'later') await this.answered(client.query('SET LOCAL synchronous_commit = off'));
      const result = await work(this.transactionOn(client));
      await this.answered(client.query('COMMIT'));
      return result;
    } catch (error) {
      await this.answered(client.query('ROLLBACK')).catch((error: Error) => (broken = error));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private transactionOn(client: pg.PoolClient): Transaction {
    const query = async <R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> =>
      (await this.answered(client.query<R>(sql, [...parameters]))).rows;
    const lock = async (key: number): Promise<void> => {
      await query('SELECT pg_advisory_xact_lock($1)', [key]);
    };
    return { sql: POSTGRES_DIALECT, query, lock };
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

  private readonly suspect = (error: unknown): void => this.watch?.suspect(error);
}

/** Opens a new connection: an idle connection of the pool may be broken while the server answers. */
async function connectOnce(settings: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(settings);
  client.on('error', () => undefined); // the promises reject with it
  await client.connect();
  await client.end();
}

const INT8: number = pg.types.builtins.INT8;

function readIntegersAsNumbers(oid: number, format?: string): unknown {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}
