import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import supertest from 'supertest';
import { Database } from '../../src/storage/database.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import type { Log } from '../../src/telemetry/log.js';
import { startStack } from '../support/start-stack.js';
import { storedIds } from '../support/stored.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const REOPEN_INTERVAL_MS = 1_000;

const INSERT = "INSERT INTO things VALUES ('under way')";
const LONG = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000)
  SELECT count(*) AS count FROM numbers`;
const SECRET = 'secret-of-the-upstream';

/** Every thread that was started, in order. */
let threads: Worker[];
const note = (message: unknown): void => void threads.push((message as { worker: Worker }).worker);

let folder: string;
beforeEach(() => {
  threads = [];
  subscribe('worker_threads', note);
  folder = mkdtempSync(join(tmpdir(), 'sqlite-recovery-'));
});
afterEach(() => {
  unsubscribe('worker_threads', note);
  rmSync(folder, { recursive: true });
});

const names = (database: Database) => database.query('SELECT name FROM things ORDER BY name');
const endThread = (): Promise<number> => threads.at(-1)!.terminate();
const threadEnded = (): Promise<void> => until(() => threads.at(-1)!.threadId === -1);

describe('when its thread ends, the embedded database', () => {
  let clock: number;
  let lines: string[];
  let database: SqliteDatabase;

  beforeEach(async () => {
    clock = 0;
    lines = [];
    const log = {
      info: (text: string) => lines.push(text),
      warn: (_: object, text: string) => lines.push(text),
    };
    database = new SqliteDatabase(folder, 'service', log as unknown as Log, () => clock);
    await database.query('CREATE TABLE things (name TEXT)');
    clock += REOPEN_INTERVAL_MS;
  });
  afterEach(() => database.close());

  test('keeps what was committed, and nothing of a transaction that was open', async () => {
    await database.transaction((tx) => tx.query("INSERT INTO things VALUES ('committed')"));
    const half = database.transaction(async (tx) => {
      await tx.query("INSERT INTO things VALUES ('half')");
      await endThread();
      await tx.query("INSERT INTO things VALUES ('other half')");
    });
    const next = database.query("INSERT INTO things VALUES ('next')");
    await expect(half).rejects.toThrow('the thread of the database has ended');
    await next;
    expect(await names(database)).toEqual([{ name: 'committed' }, { name: 'next' }]);
    expect(lines).toEqual([
      'the embedded database failed: statements fail until it is open again',
      'the embedded database is open again',
    ]);
  });

  test('does not continue a transaction that ignores it', async () => {
    const half = database.transaction(async (tx) => {
      await endThread();
      await tx.query("INSERT INTO things VALUES ('other half')").catch(() => undefined);
    });
    await expect(half).rejects.toThrow('the thread of the database has ended');
    expect(await names(database)).toEqual([]);
  });

  test('rejects the statements under way, each one', async () => {
    const underWay = [LONG, INSERT, INSERT].map((sql) => database.query(sql));
    const outcomes = Promise.allSettled(underWay);
    await nextTurn();
    await endThread();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await names(database)).toEqual([]);
  });

  test('opens again at most once a second, and makes no new file in place of one that is gone', async () => {
    await endThread();
    renameSync(join(folder, 'bff.sqlite'), join(folder, 'elsewhere'));
    const gone = 'the database that was open is gone';
    await expect(database.ping()).rejects.toThrow(gone);
    await threadEnded();
    expect(existsSync(join(folder, 'bff.sqlite'))).toBe(false);
    clock += REOPEN_INTERVAL_MS - 1;
    await expect(database.ping()).rejects.toThrow(gone);
    expect(threads).toHaveLength(2);
    renameSync(join(folder, 'elsewhere'), join(folder, 'bff.sqlite'));
    clock += 1;
    await expect(names(database)).resolves.toEqual([]);
    expect(lines).toHaveLength(3); // its end, that it is gone, and that it is open again
  });

  test('stays closed once it was closed', async () => {
    await endThread();
    await database.close();
    await expect(database.ping()).rejects.toThrow('the thread of the database has ended');
    expect(threads).toHaveLength(1);
  });
});

test('a service whose database thread ends under load is ready again, and has lost nothing it acknowledged', async () => {
  const stack = await startStack({ DATA_DIR: folder, WEBHOOK_SECRETS: SECRET });
  const acknowledged: unknown[] = [];
  const statuses = new Set<number>();
  let running = true;
  const sender = async (): Promise<void> => {
    while (running) {
      const event = anEvent();
      const { status } = await sendWebhook(stack.url, SECRET, [event]);
      statuses.add(status);
      if (status === 204) acknowledged.push(event['id']);
    }
  };
  try {
    const senders = Array.from({ length: 4 }, sender);
    for (let round = 0; round <= 3; round += 1) {
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 20);
      if (round < 3) await endThread();
    }
    running = false;
    await Promise.all(senders);
    expect(threads).toHaveLength(4);
    expect((await supertest(stack.opsUrl).get('/readyz')).status).toBe(200);
    const stored = new Set<unknown>(await storedIds(stack.service.app.get(Database)));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect([204, 503]).toEqual(expect.arrayContaining([...statuses]));
  } finally {
    running = false;
    await stack.close();
  }
});
