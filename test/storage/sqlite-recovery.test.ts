import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { checkStore, storeFile } from '../../src/storage/sqlite/check-store.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { newFolder } from '../support/machine.js';
import { builtProgram, startProcess } from '../support/start-process.js';
import { storedIds } from '../support/stored.js';
import { until } from '../support/until.js';
import { REAL } from '../support/parts.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const LONG = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000)
  SELECT count(*) AS count FROM numbers`;
const SECRET = 'secret-of-the-upstream';

let folder: string;
beforeEach(() => (folder = newFolder()));

test('a database whose thread ends rejects what is under way and all that follows, says so, and keeps what was committed', async () => {
  const threads: Worker[] = [];
  const note = (message: unknown): void => void threads.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', note);
  const deaths: Error[] = [];
  const database = new SqliteDatabase(folder, 'service', (reason) => deaths.push(reason));
  unsubscribe('worker_threads', note);
  await database.query('CREATE TABLE things (name TEXT)');
  await database.query("INSERT INTO things VALUES ('committed')");
  const half = database.transaction(async (tx) => {
    await tx.query("INSERT INTO things VALUES ('half')");
    const underWay = [LONG, "INSERT INTO things VALUES ('other half')"].map((sql) => tx.query(sql));
    await threads[0]!.terminate();
    await Promise.all(underWay);
  });
  const next = database.query("INSERT INTO things VALUES ('next')");
  const reason = 'the thread of the embedded database has ended';
  await expect(half).rejects.toThrow(reason);
  await expect(next).rejects.toThrow(reason);
  await expect(database.ping()).rejects.toThrow(reason);
  expect(deaths).toEqual([expect.objectContaining({ message: expect.stringContaining(reason) })]);
  await database.close();
  const again = new SqliteDatabase(folder);
  expect(await again.query('SELECT name FROM things')).toEqual([{ name: 'committed' }]);
  await again.close();
});

test('a database that was killed while its log was written back is found whole at the start, with what was committed', async () => {
  const killed = newFolder();
  const [file, copy] = [storeFile(folder), storeFile(killed)];
  const database = new SqliteDatabase(folder);
  await database.query('CREATE TABLE things (name TEXT)');
  await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
  await database.query("INSERT INTO things VALUES (hex(zeroblob(100000)) || 'committed')");
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  const before = readFileSync(file);
  await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
  const [page] = await database.query<{ page_size: number }>('PRAGMA page_size');
  await database.close();
  const first = readFileSync(file).subarray(0, page!.page_size); // which says that the file has grown
  writeFileSync(copy, Buffer.concat([first, before.subarray(first.length)]));
  checkStore(killed, 'service');
  const again = new SqliteDatabase(killed);
  expect(await again.query('SELECT substr(name, -9) AS end FROM things')).toEqual([{ end: 'committed' }]);
  await again.close();
  rmSync(killed, { recursive: true });
});

test('a service whose database thread ends under load ends, and started again it has lost nothing it acknowledged', async () => {
  const endsThread = `data:text/javascript,
    import { subscribe } from 'node:diagnostics_channel';
    subscribe('worker_threads', ({ worker }) => process.on('SIGUSR2', () => worker.terminate()));`;
  const settings = { ...REAL, PORT: '0', OPS_PORT: '0', DATA_DIR: folder, WEBHOOK_SECRETS: SECRET };
  const service = await startProcess(settings, builtProgram('--import', endsThread));
  const ended = new Promise((resolve) => service.child.once('close', resolve)); // all that it printed has been read
  const acknowledged: unknown[] = [];
  const sender = async (): Promise<void> => {
    for (;;) {
      const event = anEvent();
      const { status } = await sendWebhook(service.url, SECRET, [event]);
      if (status === 204) acknowledged.push(event['id']);
    }
  };
  const senders = Promise.allSettled(Array.from({ length: 4 }, sender));
  await until(() => acknowledged.length > 20);
  service.child.kill('SIGUSR2');
  expect(await ended).toBe(1);
  await senders; // refused connections
  expect(service.logText()).toContain('the thread of the embedded database has ended');
  const database = new SqliteDatabase(folder);
  const stored = new Set<unknown>(await storedIds(database));
  await database.close();
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});
