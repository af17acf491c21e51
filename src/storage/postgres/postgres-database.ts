import pg from 'pg';
import { StoreError } from '../../errors/store-error.js';
import { Database, type Row, type SqlValue, type Subscription, type Transaction } from '../database.js';
import { COMMITS_WAIT, isReply, READ_ONLY, toStoreError } from './postgres-fault.js';
import { PostgresNotices } from './postgres-notices.js';

pg.types.setTypeParser(pg.types.builtins.INT8, Number); // ours stay below 2^53

/** SQL of PostgreSQL for the words of our statements. */
const WORDS: Readonly<Record<string, string>> = {
  now: 'CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT)', // an index serves conditions on it
  rows: 'jsonb_array_elements(CAST($1 AS JSONB)) AS parameter_rows (value)',
  // `IN` makes it prepare for more, and read the whole table
  among: '= ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements(CAST($1 AS JSONB))))',
  skip_locked: 'FOR UPDATE SKIP LOCKED',
  int: 'BIGINT',
  text: 'TEXT COLLATE "C"',
  number: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  strict: '',
  rowless: '',
};

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
/**
 * Of the driver: a connection that is silent for so long is replaced. A network that drops everything says nothing else,
 * and the service is to be well within 5 s of it. Our statements take milliseconds.
 */
const ANSWER_TIMEOUT_MS = 4_000;
/** Of the server, which ends a statement in time to say so: the connection is as good as before. */
const STATEMENT_TIMEOUT_MS = 3_500;
const LONG_STATEMENT_TIMEOUT_MS = 3_600_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
/**
 * Commits a message that nobody reads, so that it ends as a write would. Refused while a commit of ours has waited for a
 * standby for a second: the server holds on to each such connection, even after its client has left.
 */
const TRY_A_WRITE = `DO $$ BEGIN IF current_setting('transaction_read_only') = 'on' THEN
  RAISE 'the server takes no writes' USING ERRCODE = '${READ_ONLY}';
ELSIF EXISTS (SELECT FROM pg_stat_activity WHERE usename = current_user AND wait_event = 'SyncRep'
    AND query_start < clock_timestamp() - INTERVAL '1 s') THEN
  RAISE 'commits wait for a standby' USING ERRCODE = '${COMMITS_WAIT}';
END IF; PERFORM pg_logical_emit_message(true, 'partner-bff', ''); END $$`;
/** The message of node-postgres for a statement that was not answered in time; the error has no code. */
const LATE = 'Query read timeout';
/**
 * Of each session, whatever the database begins with: what is read under a lock must be what was committed while it was
 * waited for, and a commit waits for the disk; where standbys are waited for, too, it stays so.
 */
const SESSION = `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

/**
 * PostgreSQL, for any number of replicas. The server ends a transaction that sends nothing for 10 s: a replica whose
 * machine is gone must not hold its locks any longer. When a connection falls silent for 4 s, or leads to a server that
 * takes no writes, all of them are replaced, since the address may lead to another server by now.
 */
export class PostgresDatabase extends Database {
  readonly setting = 'DATABASE_URL';
  private readonly settings: pg.PoolConfig;
  private pool: pg.Pool;
  private readonly notices: PostgresNotices;

  constructor(url: string) {
    super();
    this.settings = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      max: CONNECTIONS_MAX,
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it; its types do not say so
      onConnect: (client) => client.query(SESSION),
    };
    this.pool = this.openPool();
    this.notices = new PostgresNotices(this.settings);
  }

  query<R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> {
    const { pool } = this;
    const answer = this.answered(pool.query<R>(toPostgres(sql), [...parameters]), pool);
    return this.reported(answer.then(({ rows }) => rows));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.reported(this.run(work));
  }

  private async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { pool } = this;
    const client = await this.answered(pool.connect(), pool);
    let broken: Error | undefined;
    try {
      const { commit, ...tx } = this.transactionOn(client, pool);
      const result = await work(tx);
      await commit();
      return result;
    } catch (error) {
      if (isLost(error)) broken = error;
      else await this.answered(client.query('ROLLBACK'), pool).catch((fault: Error) => (broken = fault));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private transactionOn(client: pg.PoolClient, pool: pg.Pool): Transaction & { commit: () => Promise<void> } {
    let query_timeout = ANSWER_TIMEOUT_MS;
    let before: string | undefined = 'BEGIN'; // goes with the first statement where that is a lock: each round trip takes its time
    const send = async (text: string): Promise<void> => {
      before = undefined;
      await this.answered(client.query({ text, query_timeout } as pg.QueryConfig), pool);
    };
    const query = async <R extends Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<R[]> => {
      if (before !== undefined) await send(before);
      const statement = { text: toPostgres(sql), values: [...parameters], query_timeout };
      return (await this.answered(client.query<R>(statement), pool)).rows;
    };
    const lock = async (key: number): Promise<void> => {
      await send(`${before === undefined ? '' : `${before}; `}SELECT pg_advisory_xact_lock(${key})`);
    };
    const liftDeadline = async (): Promise<void> => {
      query_timeout = LONG_STATEMENT_TIMEOUT_MS;
      await query(`SET LOCAL statement_timeout = ${LONG_STATEMENT_TIMEOUT_MS}`);
    };
    const commit = (): Promise<void> => send('COMMIT'); // checks foreign keys: as long as the statements before it
    return { query, last: query, lock, liftDeadline, commit };
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.query('SELECT pg_notify($1, $2)', [channel, message]);
  }

  subscribe(channel: string, onMessage: (message: string) => void, onGap: () => void): Subscription {
    return this.notices.subscribe(channel, onMessage, onGap);
  }

  /** A failure is not reported: among reads that succeed, it would begin and end a condition again and again. */
  async ping(): Promise<void> {
    await this.answered(this.pool.query(TRY_A_WRITE), this.pool);
    this.reports?.succeeded();
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

  /** If one connection does not answer, neither do the others, so the next statements open new ones. */
  private replace(pool: pg.Pool): void {
    if (pool !== this.pool || pool.ending) return;
    this.pool = this.openPool();
    this.notices.drop();
    pool.end().catch(ignore);
  }

  /** @throws StoreError where the server is at fault */
  private async answered<T>(work: Promise<T>, pool: pg.Pool): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      if (message === LATE || code === READ_ONLY) this.replace(pool);
      throw toStoreError(error);
    }
  }
}

function toPostgres(sql: string): string {
  return sql.replaceAll(/(?<!:):(\w+)/g, (all, word: string) => WORDS[word] ?? all); // not a cast
}

/** True for an error after which a connection answers nothing more: it broke, or an answer is late. */
function isLost(error: unknown): error is StoreError {
  return error instanceof StoreError && error.cause !== undefined && !isReply(error.cause);
}

function ignore(): void {}
