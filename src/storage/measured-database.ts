import type { Readable } from 'node:stream';
import type {
  Database,
  Durability,
  NoticeListener,
  Row,
  SqlValue,
  Subscription,
  Transaction,
} from './database.js';
import { StoreError } from '../errors/store-error.js';
import type { CallReports } from '../telemetry/conditions/call-condition.js';
import type { StoreDurations } from './store-durations.js';

/** A database whose statements and transactions are measured and judged as their callers wait for them. */
export class MeasuredDatabase implements Database {
  readonly sql: Database['sql'];
  readonly setting: Database['setting'];

  constructor(
    private readonly database: Database,
    private readonly durations: StoreDurations,
    private readonly calls: CallReports,
  ) {
    ({ sql: this.sql, setting: this.setting } = database);
  }

  query<R extends Row>(sql: string, parameters?: readonly SqlValue[]): Promise<R[]> {
    return this.measured(this.database.query<R>(sql, parameters));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, durability?: Durability): Promise<T> {
    return this.measured(this.database.transaction(work, durability));
  }

  publish(channel: string, message: string): Promise<void> {
    return this.measured(this.database.publish(channel, message));
  }

  subscribe(channel: string, onMessage: NoticeListener, onGap: () => void): Subscription {
    return this.database.subscribe(channel, onMessage, onGap);
  }

  ping(): Promise<void> {
    return this.measured(this.database.ping());
  }

  backup(): Promise<Readable | undefined> {
    return this.database.backup();
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async measured<T>(work: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      const answer = await work;
      this.calls.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof StoreError) this.calls.failed(error.message);
      throw error;
    } finally {
      this.durations.end('database', startedAt);
    }
  }
}
