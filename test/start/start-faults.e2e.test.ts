import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { CONFIG_EXIT_CODE } from '../../src/config/load-config.js';
import { UNAVAILABLE_EXIT_CODE } from '../../src/config/faults/start-faults.js';
import { builtProgram, builtService, runProcess, type Program } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';

const WORKER = 'bundle/sqlite-worker.js';

/** Replaces `Worker` before the service is loaded: as when the machine gives the process no further thread. */
const NO_THREADS = `
import threads from 'node:worker_threads';
import { syncBuiltinESMExports } from 'node:module';
threads.Worker = class { constructor() {
  throw Object.assign(new Error('Worker initialization failure: EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
} };
syncBuiltinESMExports();`;
/** The same, with a bound on the memory of each thread. */
const LITTLE_MEMORY = `
import threads from 'node:worker_threads';
import { syncBuiltinESMExports } from 'node:module';
const { Worker } = threads;
threads.Worker = class extends Worker { constructor(url, options) {
  super(url, { ...options, resourceLimits: { maxOldGenerationSizeMb: 16 } });
} };
syncBuiltinESMExports();`;
const ENDLESS = 'const held = []; for (;;) held.push(Array(100_000).fill(held.length));';

let playground: Playground;
let folder: string;
/** A compiled service whose files can be changed; it finds its packages where it is. */
const changed = resolve('node_modules/.cache/test-build', `changed-${process.pid}`);
beforeAll(async () => {
  playground = await startPlayground({ port: 0, size: 5 });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bff-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(async () => {
  rmSync(changed, { recursive: true, force: true });
  await playground.close();
});

const inFolder = (dataDir = join(folder, 'data')) => ({
  ...serviceEnvironment(playground),
  DATA_DIR: dataDir,
});
const preload = (module: string): string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(module)}`,
];

/** The compiled service with another program for the thread of the database. */
function withWorker(source: string | undefined, preloaded = ''): Program {
  rmSync(changed, { recursive: true, force: true });
  cpSync(builtService(), changed, { recursive: true });
  if (source === undefined) rmSync(join(changed, WORKER));
  else writeFileSync(join(changed, WORKER), source);
  return { args: [...preload(preloaded), join(changed, 'bundle/main.js')] };
}

describe('a thread of the database that does not start is told as such, with its cause', () => {
  test.each<[string, () => Program, RegExp]>([
    ['no thread to be had', () => builtProgram(...preload(NO_THREADS)), /ERR_WORKER_INIT_FAILED.*EAGAIN/],
    ['no memory for it', () => withWorker(ENDLESS, LITTLE_MEMORY), /ERR_WORKER_OUT_OF_MEMORY.*memory limit/],
    ['its file is missing', () => withWorker(undefined), /MODULE_NOT_FOUND.*sqlite-worker/],
    ['its file is damaged', () => withWorker('const ='), /SyntaxError/],
    ['it fails with a sentence', () => withWorker("throw new Error('out of luck')"), /out of luck/],
    ['it ends without a word', () => withWorker('process.exit(3)'), /ended with code 3/],
  ])('%s', async (_name, program, cause) => {
    const { code, text } = await runProcess(inFolder(), program());
    expect(text).toMatch(/thread of the embedded database/);
    expect(text).toMatch(cause);
    expect(text).not.toMatch(/unknown|cannot be written/);
    expect(code).toBe(UNAVAILABLE_EXIT_CODE);
  });
});

describe('a folder that cannot be used is told with the code of the system', () => {
  const aFile = (): string => {
    writeFileSync(join(folder, 'file'), '');
    return join(folder, 'file');
  };
  test.each<[string, () => string, RegExp]>([
    ['a file', aFile, /DATA_DIR cannot be written to \(ENOTDIR/],
    ['a folder below a file', () => join(aFile(), 'data'), /DATA_DIR cannot be written to \(ENOTDIR/],
    [
      'a name that is too long',
      () => join(folder, 'x'.repeat(300)),
      /DATA_DIR cannot be written to \(ENAMETOOLONG/,
    ],
    ['a folder of the system', () => '/proc/data', /DATA_DIR cannot be written to \(E[A-Z]+/],
  ])('%s', async (_name, make, fault) => {
    const { code, text } = await runProcess(inFolder(make()));
    expect(text).toMatch(fault);
    expect(code).toBe(CONFIG_EXIT_CODE);
  });

  test('a database that is a ring of links', async () => {
    symlinkSync('bff.sqlite', join(folder, 'bff.sqlite'));
    const { code, text } = await runProcess(inFolder(folder));
    expect(text).toMatch(/DATA_DIR holds a database that cannot be read \(ELOOP\)/);
    expect(text).not.toContain(folder);
    expect(code).toBe(CONFIG_EXIT_CODE);
  });
});
