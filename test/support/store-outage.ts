import supertest from 'supertest';
import type { Environment } from '../../src/config/load-config.js';
import { StoreError } from '../../src/errors/store-error.js';
import { Database } from '../../src/storage/database.js';
import type { PlaygroundOptions } from '../../playground/src/playground.js';
import { startStack, type Stack } from './start-stack.js';
import { openTcpGate } from './raw-connection.js';
import { runsOnServers } from './programs.js';
import { POSTGRESQL } from './test-database.js';
import { until } from './until.js';

/** A service whose database can be made to fail, and to recover. */
export interface StoreOutage {
  readonly stack: Stack;
  /** From now on every statement fails. */
  begin(): Promise<void>;
  /** Resolves once the service is ready again. */
  end(): Promise<void>;
}

/** Starts a service whose database can fail: the disk of SQLite, in a project with servers that of PostgreSQL. */
export function startStoreOutage(overrides?: Environment, options?: PlaygroundOptions): Promise<StoreOutage> {
  return runsOnServers() ? startOnPostgres(overrides, options) : startOnSqlite(overrides, options);
}

/** Each question to the thread fails as one whose disk cannot be read; a real disk does so for no test. */
async function startOnSqlite(overrides?: Environment, options?: PlaygroundOptions): Promise<StoreOutage> {
  const stack = await startStack({ ...overrides, DATA_DIR: ':memory:' }, options);
  const thread: { post?: () => Promise<never> } = stack.service.app.get<object>(Database);
  return {
    stack,
    begin: async () => {
      thread.post = () => Promise.reject(new StoreError('database', 'disk I/O error'));
    },
    end: async () => {
      delete thread.post;
      await untilReady(stack);
    },
  };
}

async function startOnPostgres(overrides?: Environment, options?: PlaygroundOptions): Promise<StoreOutage> {
  const store = await POSTGRESQL.open();
  const url = new URL(store.settings['DATABASE_URL']!);
  const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
  url.host = `127.0.0.1:${gate.port}`;
  const stack = await startStack({ ...overrides, DATABASE_URL: url.href }, options);
  return {
    stack,
    begin: async () => gate.shut(),
    end: async () => {
      gate.open();
      await untilReady(stack);
    },
  };
}

function untilReady(stack: Stack): Promise<void> {
  return until(async () => (await supertest(stack.opsUrl).get('/readyz')).status === 200);
}
