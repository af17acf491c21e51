import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
