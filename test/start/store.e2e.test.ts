import { hash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  cpSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import threads from 'node:worker_threads';
import supertest from 'supertest';
import { UNAVAILABLE_EXIT_CODE } from '../../src/config/faults/start-faults.js';
import { ConfigError } from '../../src/config/load-config.js';
import { exitCodeOf, explain } from '../../src/errors/exit-fault.js';
import { checkStore } from '../../src/storage/sqlite/check-store.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { newFolder } from '../support/machine.js';
import { startProcess } from '../support/start-process.js';
import { serviceEnvironment, startPlaygroundMode, startSilently } from '../support/start-stack.js';
import { usePlayground } from '../playground/client.js';

const FILE = 'bff.sqlite';

const { Worker } = threads;
afterEach(() => replaceWorker(Worker));

/** As when the machine gives the process no thread, or another program for it. */
function replaceWorker(replacement: unknown): void {
  Object.assign(threads, { Worker: replacement });
  syncBuiltinESMExports();
}

/** What `new Worker` throws where there is no thread. */
class NoThread {
  constructor() {
    const code = 'ERR_WORKER_INIT_FAILED';
    throw Object.assign(new Error('Worker initialization failure: EAGAIN'), { code });
  }
}

/** A thread whose program is another one. */
const workerOf = (program: string | URL) =>
  class extends Worker {
    constructor() {
      super(program);
    }
  };

function ringOfLinks(folder: string): string {
  symlinkSync(FILE, join(folder, FILE));
  return folder;
}

/** As Docker makes one to mount a file that is not there. */
function folderOfItsName(folder: string): string {
  mkdirSync(join(folder, FILE));
  return folder;
}

/** Names of everything in a folder, with the hashes of their bytes. */
function contentOf(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .map(
      (entry) =>
        `${entry.name} ${entry.isFile() ? hash('sha256', readFileSync(join(folder, entry.name))) : '/'}`,
    )
    .sort();
}

describe('the embedded store', () => {
  const playground = usePlayground();
  /** A store that a real deployment made and closed. */
  let made: string;
  beforeAll(async () => {
    made = newFolder();
    const service = await startSilently(real(made));
    await supertest(service.opsUrl).put('/memberships/someone/a%3Ahirer');
    await service.close();
  });

  const real = (dataDir: string) => ({ ...serviceEnvironment(playground), DATA_DIR: dataDir });
  /** Why no service starts on the store: a fault of that setting. */
  const refusalOf = async (
    dataDir: string,
    start: () => Promise<unknown> = () => startSilently(real(dataDir)),
  ): Promise<string> => {
    const refused: unknown = await start().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as ConfigError).message).toContain('DATA_DIR');
    return (refused as ConfigError).message;
  };
  const copyOfMade = (): string => {
    const folder = newFolder();
    copyFileSync(join(made, FILE), join(folder, FILE));
    return folder;
  };

  test('is readable only by its own account, including the files that SQLite adds', async () => {
    const folder = newFolder();
    const database = new SqliteDatabase(folder);
    await database.ping();
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes.length).toBeGreaterThan(1);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    return database.close();
  });

  test('of a real deployment is refused by the playground, and left unchanged', async () => {
    const before = contentOf(made);
    await refusalOf(made, () => startPlaygroundMode({ DATA_DIR: made }));
    expect(contentOf(made)).toEqual(before);
  });

  test('of a real deployment that was killed is refused by the playground, and gets no file beside it', async () => {
    const [source, killed] = [copyOfMade(), newFolder()];
    const writing = new DatabaseSync(join(source, FILE));
    writing.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE written_ahead (id)',
    );
    cpSync(source, killed, { recursive: true });
    writing.close();
    const before = contentOf(killed);
    expect(before).toHaveLength(2);
    expect(() => checkStore(killed, 'playground')).toThrow('the playground did not make');
    expect(contentOf(killed)).toEqual(before);
  });

  test('of the playground serves the playground again, and is refused by a real deployment', async () => {
    const folder = newFolder();
    for (let starts = 0; starts < 2; starts += 1) {
      await (await startPlaygroundMode({ DATA_DIR: folder })).service.close();
    }
    const before = contentOf(folder);
    expect(await refusalOf(folder)).toMatch(/playground/);
    expect(contentOf(folder)).toEqual(before);
  });

  test.each<[string, RegExp, (file: string) => void]>([
    ['is no database', /is not a database/, (file) => writeFileSync(file, 'notes of a meeting\n'.repeat(50))],
    ['belongs to another program', /another program/, (file) => setPragma(file, 'application_id = 77')],
    ['lost its end', /damaged/, (file) => truncateSync(file, 4096 * 3)],
    ['has pages that were overwritten', /damaged/, (file) => overwrite(file, 4096)],
  ])('that %s is refused with its own reason, and left unchanged', async (_name, reason, spoil) => {
    const folder = copyOfMade();
    spoil(join(folder, FILE));
    const before = contentOf(folder);
    expect(await refusalOf(folder)).toMatch(reason);
    expect(contentOf(folder)).toEqual(before);
  });

  test('that is damaged and too large to be checked is refused when that shows', async () => {
    const folder = copyOfMade();
    const file = join(folder, FILE);
    const database = new DatabaseSync(file, { readOnly: true });
    const page = "SELECT rootpage FROM sqlite_schema WHERE name = 'migrations'";
    const place = (Number(database.prepare(page).get()!['rootpage']) - 1) * 4096;
    database.close();
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, place);
    ftruncateSync(descriptor, 600_000_000 - (600_000_000 % 4096));
    closeSync(descriptor);
    expect(await refusalOf(folder)).toMatch(/damaged/);
  });

  test.each<[string, (folder: string) => string, RegExp]>([
    ['below a file', () => '/dev/null/data', /DATA_DIR cannot be written to \(ENOTDIR/],
    ['of the system', () => '/proc/data', /DATA_DIR cannot be written to \(E[A-Z]+/],
    ['of a long name', (folder) => join(folder, 'x'.repeat(300)), /DATA_DIR cannot be .*\(ENAMETOOLONG/],
    ['that holds a ring of links', ringOfLinks, /DATA_DIR cannot be written to \(ELOOP\)/],
    ['that holds a folder of its name', folderOfItsName, /DATA_DIR cannot be written to \(EISDIR\)/],
  ])('in a folder %s is refused with the code of the system', async (_name, folderIn, reason) => {
    const folder = newFolder();
    const refusal = await refusalOf(folderIn(folder));
    expect(refusal).toMatch(reason);
    expect(refusal).not.toContain(folder);
  });

  test.each<[string, unknown, RegExp]>([
    ['no thread is to be had', NoThread, /ERR_WORKER_INIT_FAILED.*EAGAIN/],
    [
      'the file of its thread is missing',
      workerOf('/nowhere/sqlite-worker.js'),
      /MODULE_NOT_FOUND.*sqlite-worker/,
    ],
    [
      'its thread ends without a word',
      workerOf(new URL('data:text/javascript,process.exit(3)')),
      /with code 3/,
    ],
  ])('tells why it cannot be opened, with exit code 69: %s', async (_name, worker, cause) => {
    replaceWorker(worker);
    const refused: unknown = await startSilently(real(newFolder())).catch((error: unknown) => error);
    const text = explain(refused, 'The service cannot start');
    expect(text).toMatch(/thread of the embedded database/);
    expect(text).toMatch(cause);
    expect(text).not.toMatch(/unknown|cannot be written/);
    expect(exitCodeOf(refused)).toBe(UNAVAILABLE_EXIT_CODE);
  });

  test('that another process uses is refused, and that process continues', async () => {
    const folder = newFolder();
    const running = await startProcess(real(folder));
    expect(await refusalOf(folder)).toMatch(/in use.*DATABASE_URL/s);
    expect((await supertest(running.opsUrl).get('/readyz')).body.checks.database.state).toBe('up');
    expect(await running.stop()).toBe(0);
  });
});

function setPragma(file: string, pragma: string): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA ${pragma}`);
  database.close();
}

/** Writes rubbish over everything behind the first page. */
function overwrite(file: string, from: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, from);
  writeFileSync(file, bytes);
}
