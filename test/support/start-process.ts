import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { endsByItself } from './machine.js';
import { until } from './until.js';
import { runCommandLine } from '../../src/command/command-line.js';

const SWC = resolve('node_modules/.bin/swc');
const BUILDS = resolve('node_modules/.cache/test-build');
const SOURCES = [
  'package.json',
  'package-lock.json',
  '.swcrc',
  'operations',
  'schemas',
  'scripts/bundle.js',
  'src',
  'playground/package.json',
  'playground/schema.graphql',
  'playground/src',
  'client/src', // compiled with the playground, whose demo page uses it
];
const PLAYGROUND = 'node_modules/partner-bff-playground';
/** Builds that were not used for a day are removed. */
const KEPT_MS = 86_400_000;

/** How often a worker looks whether another one has made what it needs. */
const LOOK_MS = 100;
/** A service that starts although it should not is ended, below the time limit of a test. */
const EXIT_MS = 100_000;

let build: string | undefined;

/** A program that Node runs. */
export interface Program {
  readonly args: readonly string[];
  /** The binary of Node; the one that runs the tests by default. */
  readonly node?: string;
  readonly cwd?: string;
  /** Variables for Node itself. */
  readonly nodeEnvironment?: Environment;
  /** Another user than that of the tests; only root can choose. */
  readonly uid?: number;
  readonly gid?: number;
}

/** V8's compile cache: halves the processor time of later starts. Node keys it by file and version. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(BUILDS, 'compile-cache') };

/**
 * The service as an image runs it, which starts in half the time of its compiled files.
 * @param options further arguments of Node
 */
export function builtProgram(...options: readonly string[]): Program {
  return { args: [...options, join(builtService(), 'bundle/main.js')], nodeEnvironment: COMPILE_CACHE };
}

/**
 * The service as `npm start` runs it.
 * @param options further arguments of Node
 */
export function compiledProgram(...options: readonly string[]): Program {
  return { args: [...options, join(builtService(), 'main.js')], nodeEnvironment: COMPILE_CACHE };
}

/** The compiled playground, as a package of its own beside the compiled service. */
export function builtPlayground(): string {
  return join(builtService(), PLAYGROUND);
}

/** The folder of the compiled service, and of its bundle in `bundle`, which nothing may write to. */
export function builtService(): string {
  return (build ??= buildOnce(hashOf(SOURCES), (made) => {
    buildService(made);
    execFileSync(process.execPath, ['scripts/bundle.js', made, join(made, 'bundle')], { stdio: 'pipe' });
    buildPlayground(join(made, PLAYGROUND, 'dist'));
    for (const name of ['package.json', 'schema.graphql']) {
      copyFileSync(join('playground', name), join(made, PLAYGROUND, name));
    }
  }));
}

/**
 * A folder that is made where there is none yet. Its name tells what was compiled, so that test files, workers and runs
 * share it. It appears as a whole; the others wait while one worker makes it.
 */
export function buildOnce(name: string, make: (folder: string) => void): string {
  const build = join(BUILDS, name);
  if (existsSync(build)) {
    utimesSync(build, new Date(), new Date());
    return build;
  }
  mkdirSync(BUILDS, { recursive: true });
  const lock = `${build}.lock`;
  while (!takes(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  try {
    if (existsSync(build)) return build;
    removeOldBuilds();
    const made = mkdtempSync(join(BUILDS, 'making-'));
    make(made);
    renameSync(made, build);
  } finally {
    rmSync(lock);
  }
  return build;
}

/** True if the lock is this process's now. One whose process has ended is removed. */
function takes(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    try {
      process.kill(Number(readFileSync(lock, 'utf8')), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') rmSync(lock, { force: true });
    }
    return false;
  }
}

/** Tells files, and folders of files, from others by names and contents; those of unit tests do not count. */
export function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesOf).sort()) hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name));
}

function removeOldBuilds(): void {
  for (const name of readdirSync(BUILDS)) {
    const path = join(BUILDS, name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - madeAt > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Runs the playground's own build script. */
function buildPlayground(outDir: string): void {
  const script = ['run', '--silent', 'build', '--workspace=playground'];
  const env = { ...process.env, NODE_OPTIONS: '' }; // Jest's are not for npm
  execFileSync('npm', [...script, '--', '--out-dir', outDir], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Compiles the service in `root`, and puts beside it what it reads of its package. */
export function buildService(outDir: string, root = '.'): void {
  const options = ['--copy-files', '--strip-leading-paths', '--ignore', '**/*.test.ts', '--quiet'];
  const args = ['src', '--out-dir', outDir, '--config-file', resolve(root, '.swcrc'), ...options];
  execFileSync(SWC, args, { cwd: root });
  copyFileSync(join(root, 'package.json'), join(outDir, 'package.json'));
  for (const folder of ['operations', 'schemas']) {
    if (!existsSync(join(root, folder))) continue; // an older version
    cpSync(join(root, folder), join(outDir, folder), { recursive: true });
  }
}

/** The compiled service as a process of its own, as it runs in production. */
export interface ServiceProcess {
  readonly url: string;
  readonly opsUrl: string;
  readonly child: ChildProcess;
  readonly logText: () => string;
  /** Resolves with what matches in the output, once it was printed. */
  printed(pattern: RegExp): Promise<string>;
  /** Sends the signal, and resolves with the exit code once the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the service with this environment, and waits until it listens, which it logs; where its log has errors alone, it
 * has ports of the settings. Where nothing else is set, it stops without delay.
 */
export async function startProcess(
  environment: Environment,
  program: Program = builtProgram(),
): Promise<ServiceProcess> {
  const child = spawnProgram(program, { LOG_LEVEL: 'info', SHUTDOWN_DELAY_MS: '0', ...environment });
  const endWithTests = (): boolean => child.kill('SIGKILL');
  process.once('exit', endWithTests);
  let hasEnded = false;
  const ended = once(child, 'exit').then(([code]) => {
    hasEnded = true;
    process.off('exit', endWithTests);
    return code as number | null;
  });
  endsByItself(() => {
    child.kill('SIGKILL');
    return ended;
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  }
  const { LOG_LEVEL, PORT, OPS_PORT } = environment;
  const isQuiet = LOG_LEVEL === 'error';
  const ports = { public: `http://127.0.0.1:${PORT}`, ops: `http://127.0.0.1:${OPS_PORT}` };
  const line = (): string | undefined => text.split('\n').find((one) => one.includes('"msg":"listening"'));
  const listens = async (): Promise<boolean> =>
    isQuiet ? (await answers(ports.ops)) && answers(ports.public) : line() !== undefined;
  await until(async () => hasEnded || listens());
  if (hasEnded) throw new Error(`the service ended with ${await ended}: ${text}`);
  const { public: url, ops: opsUrl } = isQuiet ? ports : (JSON.parse(line()!) as typeof ports);
  return {
    url,
    opsUrl,
    child,
    logText: () => text,
    printed: async (pattern) => {
      await until(() => pattern.test(text));
      return pattern.exec(text)![0];
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Whether anything answers there, in whatever way. */
function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => (await response.arrayBuffer()).byteLength >= 0,
    () => false,
  );
}

/**
 * Runs the service until it exits, as it does when it cannot start; gives its exit code and output.
 * @param onOutput called with all that was printed so far, each time that there is more
 */
export async function runProcess(
  environment: Environment,
  program: Program = builtProgram(),
  onOutput: (text: string, child: ChildProcess) => void = () => undefined,
): Promise<{ code: number | null; text: string }> {
  const child = spawnProgram(program, environment, EXIT_MS);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      onOutput(text, child);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

function spawnProgram(
  { args, node = process.execPath, nodeEnvironment, ...options }: Program,
  env: Environment,
  timeout?: number,
) {
  return spawn(node, args, {
    ...options,
    env: { PATH: process.env['PATH'], ...nodeEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });
}

/**
 * Runs a program with `openLog` of the compiled service at hand; resolves with its standard output once it has ended.
 * @param readsLate whether nothing is read until the program writes to standard error
 */
export async function runWithLog(program: string, readsLate = false): Promise<string> {
  const head = `import { openLog } from '${join(builtService(), 'telemetry/log.js')}';`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${head}\n${program}`], {
    env: { ...process.env, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', readsLate ? 'pipe' : 'ignore'],
  });
  if (child.stderr) await once(child.stderr, 'data');
  const chunks: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString();
}

/** What a command left behind. */
export interface CommandResult {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs `partner-bff` in this process, which starts no service. */
export async function runCommand(argv: readonly string[], environment: Environment): Promise<CommandResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCommandLine(argv, environment, {
    print: (line) => void out.push(`${line}\n`),
    warn: (line) => void err.push(`${line}\n`),
  });
  return { code, out: out.join(''), err: err.join('') };
}
