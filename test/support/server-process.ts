import { spawn, type ChildProcess, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** A server under measurement, in a process of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  stop(): void;
}

/** Starts a program and waits until `url` answers; what it prints goes nowhere. */
export async function startServer(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
  url: string,
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...flags, program], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor(url, child);
  return { pid: child.pid!, child, stop: () => child.kill('SIGKILL') };
}

/** Starts the service with the flags and the environment of malloc that `npm start` and the image give it. */
export function startService(
  main: string,
  environment: Record<string, string>,
  url: string,
): Promise<ServerProcess> {
  const { config } = JSON.parse(readFileSync('package.json', 'utf8')) as { config: { node: string } };
  const words = config.node.split(' ');
  const variables = words.filter((word) => word.includes('=') && !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('--'));
  const shipped = Object.fromEntries(variables.map((word) => word.split('=') as [string, string]));
  return startServer(main, { ...shipped, ...environment }, url, flags);
}

async function waitFor(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline && child.exitCode === null) {
    const answered = await fetch(url).then(
      (response) => response.status < 500,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answers at ${url}`);
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const LOOK_MS = 20;
const OUTPUT_CHARACTERS_MAX = 20_000;

/** A program that can be killed and started again. */
export interface Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Answers, in whatever way, once the program has started. */
  readonly url: string;
  /** Run after each start. */
  readonly prepare?: () => Promise<void>;
  /** Receives each line that it prints. */
  readonly onLine?: (line: string) => void;
}

/** A process that a drill kills. */
export class Victim {
  kills = 0;
  /** The last that it printed. */
  output = '';
  private child: ChildProcess | undefined;

  constructor(readonly command: Command) {}

  async start(): Promise<void> {
    const { args, cwd, environment, url, name, prepare } = this.command;
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const endWithDrill = (): boolean => child.kill('SIGKILL');
    process.once('exit', endWithDrill);
    child.once('exit', () => process.off('exit', endWithDrill));
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => this.keep(line));
    }
    while (!(await answers(url))) {
      if (child.exitCode !== null) throw new Error(`${name} does not start: ${this.output}`);
      await delay(LOOK_MS);
    }
    await prepare?.();
  }

  /** Whether it has ended, by itself or not. */
  get hasEnded(): boolean {
    return this.child !== undefined && (this.child.exitCode !== null || this.child.signalCode !== null);
  }

  /** SIGKILL, and at once another start. */
  async killAndStart(): Promise<void> {
    this.kills += 1;
    await this.end('SIGKILL');
    await this.start();
  }

  /** Sends the signal, and resolves when the process has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (!child || this.hasEnded) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  private keep(line: string): void {
    this.output = `${this.output}${line}\n`.slice(-OUTPUT_CHARACTERS_MAX);
    this.command.onLine?.(line);
  }
}

/** Whether anything answers there, in whatever way. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}

/** The program, which a suite runs. @throws with the Debian package that has it, where it is not installed */
export function programOf(name: string, debianPackage = name): string {
  if (spawnSync('which', [name]).status === 0) return name;
  throw new Error(`${name} is not installed: apt-get install -y ${debianPackage}`);
}

/** The address of a server, from its variable. @throws with what to install and to set, where it is not set */
export function serverOf(variable: ServerVariable): string {
  const url = process.env[variable];
  if (url) return url;
  throw new Error(
    `${variable} names no server: apt-get install -y ${SERVERS[variable]}, start it, and set it`,
  );
}

const SERVERS = {
  TEST_DATABASE_URL: 'postgresql',
  TEST_REDIS_URL: 'redis-server',
  TEST_NATS_URL: 'nats-server',
  TEST_AMQP_URL: 'rabbitmq-server',
};
type ServerVariable = keyof typeof SERVERS;
