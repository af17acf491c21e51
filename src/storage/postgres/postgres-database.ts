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
import { PostgresNotices } from './postgres-notices.js';
import { PostgresWatch } from './postgres-watch.js';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * PostgreSQL, for any number of replicas. 64-bit integers are read as numbers: ours stay below 2^53. The server ends a
 * transaction that sends nothing for 10 s: a replica whose machine is gone must not hold its locks any longer. When the
 * server is gone, a network that drops everything included, what is under way fails within 4 s, and what follows at
 * once, until the server answers a new connection; it is tried once a second.
 */
export class PostgresDatabase implements Database {
  readonly sql = POSTGRES_DIALECT;
  readonly setting = 'DATABASE_URL';
  private readonly pool: pg.Pool;
  private readonly notices: PostgresNotices;
  private readonly watch: PostgresWatch | undefined;
  /** Of every connection but those that check the server. */
  private readonly sockets = new Set<Socket>();

  /** @param log receives a line when the server goes down and when it answers again */
  constructor(url: string, log?: Pick<Log, 'info' | 'warn'>) {
    const settings = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
    };
    const tracked = { ...settings, stream: () => this.openSocket() };
    this.pool = new pg.Pool({
      ...tracked,
      max: CONNECTIONS_MAX,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      types: { getTypeParser: readIntegersAsNumbers },
    });
    this.watch =
      log &&
      new PostgresWatch(
        () => connectOnce(settings),
        log,
        () => this.disconnect(),
      );
    this.notices = new PostgresNotices(tracked, this.suspect);
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
      await this.answered(client.query('BEGIN'));
      if (durability === 'later') await this.answered(client.query('SET LOCAL synchronous_commit = off'));
      const result = await work(this.transactionOn(client));
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
