import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { until } from './until.js';

const SWC = resolve('node_modules/.bin/swc');
const BUILD = join('node_modules/.cache/test-build', process.env['JEST_WORKER_ID'] ?? '0');

/** A service that starts although it should not is ended, below the time limit of a test. */
const EXIT_MS = 25_000;

let built = false;

/** A program that Node runs. */
export interface Program {
  readonly args: readonly string[];
  /** The binary of Node; the one that runs the tests by default. */
  readonly node?: string;
  readonly cwd?: string;
  /** Another user than that of the tests; only root can choose. */
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Compiles service and playground as they are, once for each test file, to a folder that no other worker uses.
 * @param options further arguments of Node
 */
export function builtProgram(...options: readonly string[]): Program {
  if (!built) {
    buildService(BUILD);
    const playground = resolve(BUILD, 'node_modules/partner-bff-playground');
    buildPlayground(join(playground, 'dist'));
    copyFileSync('playground/package.json', join(playground, 'package.json'));
    built = true;
  }
  return { args: [...options, resolve(BUILD, 'main.js')] };
}

/** The compiled playground, as a package of its own beside the compiled service. */
export function builtPlayground(): string {
  builtProgram();
  return resolve(BUILD, 'node_modules/partner-bff-playground');
}

/** Runs the playground's own build script. */
function buildPlayground(outDir: string): void {
  const script = ['run', '--silent', 'build', '--workspace=playground'];
  const env = { ...process.env, NODE_OPTIONS: '' }; // Jest's are not for npm
  execFileSync('npm', [...script, '--', '--out-dir', outDir], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Compiles the service, and puts beside it what it reads of its package. */
export function buildService(outDir: string): void {
  mkdirSync(outDir, { recursive: true });
  const options = ['--copy-files', '--strip-leading-paths', '--ignore', '**/*.test.ts', '--quiet'];
  execFileSync(SWC, ['src', '--out-dir', resolve(outDir), '--config-file', resolve('.swcrc'), ...options]);
  copyFileSync('package.json', join(outDir, 'package.json'));
  cpSync('operations', join(outDir, 'operations'), { recursive: true });
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

/** Starts the service with exactly this environment, and waits until it listens. */
export async function startProcess(
  environment: Environment,
  program: Program = builtProgram(),
): Promise<ServiceProcess> {
  const child = spawnProgram(program, { LOG_LEVEL: 'info', ...environment });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  let text = '';
  const collect = (chunk: Buffer): void => void (text += chunk.toString());
  child.stderr.on('data', collect);
  const listening = new Promise<{ public: string; ops: string }>((resolve, reject) => {
    let isListening = false;
    child.stdout.on('data', (chunk: Buffer) => {
      collect(chunk);
      if (isListening) return;
      const line = text.split('\n').find((candidate) => candidate.includes('"msg":"listening"'));
      if (!line) return;
      isListening = true;
      resolve(JSON.parse(line) as { public: string; ops: string });
    });
    void ended.then(([code]) => reject(new Error(`the service ended with ${code}: ${text}`)));
  });
  const { public: url, ops: opsUrl } = await listening;
  return {
    url,
    opsUrl,
    child,
    logText: () => text,
    printed: async (pattern) => {
      await until(() => pattern.test(text));
      return pattern.exec(text)![0];
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return (await ended)[0];
    },
  };
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
  { args, node = process.execPath, ...options }: Program,
  env: Environment,
  timeout?: number,
) {
  return spawn(node, args, {
    ...options,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });
}

/** Runs a program with `openLog` of the compiled service at hand; resolves with its standard output once it has ended. */
export async function runWithLog(program: string): Promise<string> {
  builtProgram();
  const head = `import { openLog } from '${resolve(BUILD, 'telemetry/log.js')}';`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${head}\n${program}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return text;
}
