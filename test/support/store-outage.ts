import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import supertest from 'supertest';
import type { Environment } from '../../src/config/load-config.js';
import { startStack, type Stack } from './start-stack.js';
import { openTcpGate } from './tcp-gate.js';
import { TEST_DATABASES } from './test-database.js';
import { until } from './until.js';

/** A service whose database can be made to fail, and to recover. */
export interface StoreOutage {
  readonly stack: Stack;
  /** From now on every statement fails. */
  begin(): Promise<void>;
  /** Resolves once the service is ready again. */
  end(): Promise<void>;
  close(): Promise<void>;
}

interface OutageKind {
  readonly name: string;
  start(overrides?: Environment): Promise<StoreOutage>;
}

/** How databases fail: on SQLite, and on PostgreSQL where `TEST_DATABASE_URL` names a server. */
export const STORE_OUTAGES: readonly OutageKind[] = [
  { name: 'the file of SQLite is gone', start: startOnSqlite },
  ...TEST_DATABASES.filter(({ isServer }) => isServer).map(() => ({
    name: 'the server of PostgreSQL is gone',
    start: startOnPostgres,
  })),
];

/** The thread ends, and the file that the next one should open is elsewhere. */
async function startOnSqlite(overrides?: Environment): Promise<StoreOutage> {
  const folder = mkdtempSync(join(tmpdir(), 'store-outage-'));
  const [file, elsewhere] = [join(folder, 'bff.sqlite'), join(folder, 'elsewhere')];
  const threads: Worker[] = [];
  const note = (message: unknown): void => void threads.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', note);
  const stack = await startStack({ ...overrides, DATA_DIR: folder });
  return {
    stack,
    begin: async () => {
      renameSync(file, elsewhere);
      await threads.at(-1)!.terminate();
    },
    end: async () => {
      renameSync(elsewhere, file);
      await untilReady(stack);
    },
    close: async () => {
      await stack.close();
      unsubscribe('worker_threads', note);
      rmSync(folder, { recursive: true });
    },
  };
}

async function startOnPostgres(overrides?: Environment): Promise<StoreOutage> {
  const store = await TEST_DATABASES.find(({ isServer }) => isServer)!.open();
  const url = new URL(store.settings['DATABASE_URL']!);
  const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
  url.host = `127.0.0.1:${gate.port}`;
  const stack = await startStack({ ...overrides, DATABASE_URL: url.href });
  return {
    stack,
    begin: async () => gate.shut(),
    end: async () => {
      gate.open();
      await untilReady(stack);
    },
    close: async () => {
      await stack.close();
      await gate.close();
      await store.drop();
    },
  };
}

function untilReady(stack: Stack): Promise<void> {
  return until(async () => (await supertest(stack.opsUrl).get('/readyz')).status === 200);
}
