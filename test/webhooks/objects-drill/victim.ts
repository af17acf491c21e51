import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

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
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => this.keep(part));
    while (!(await answers(url))) {
      if (child.exitCode !== null) throw new Error(`${name} does not start: ${this.output}`);
      await delay(LOOK_MS);
    }
    await prepare?.();
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
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  private keep(part: Buffer): void {
    this.output = (this.output + part.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}
