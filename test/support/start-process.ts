import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { until } from './until.js';

const NODE = 'node_modules/.bin/node';
const SWC = 'node_modules/.bin/swc';
const BUILD = join('node_modules/.cache/test-build', process.env['JEST_WORKER_ID'] ?? '0');

let built = false;

/** Compiles the sources as they stand, once for each test file, to a folder that no other worker uses. */
function build(): void {
  if (built) return;
  mkdirSync(BUILD, { recursive: true });
  copyFileSync('package.json', join(BUILD, 'package.json'));
  const options = ['--copy-files', '--strip-leading-paths', '--ignore', '**/*.test.ts', '--quiet'];
  execFileSync(SWC, ['src', '--out-dir', BUILD, ...options]);
  built = true;
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
export async function startProcess(environment: Environment): Promise<ServiceProcess> {
  build();
  const child = spawn(NODE, [join(BUILD, 'main.js')], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

/** Runs the service until it ends by itself, as a start that is refused does; gives its exit code and output. */
export async function runProcess(environment: Environment): Promise<{ code: number | null; text: string }> {
  build();
  const child = spawn(NODE, [join(BUILD, 'main.js')], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

/** Runs a program with `openLog` of the compiled service at hand; resolves with its standard output once it has ended. */
export async function runWithLog(program: string): Promise<string> {
  build();
  const head = `import { openLog } from '${resolve(BUILD, 'telemetry/log.js')}';`;
  const child = spawn(NODE, ['--input-type=module', '--eval', `${head}\n${program}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return text;
}
