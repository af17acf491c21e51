#!/usr/bin/env node
import { readStartOptions, runControl, USAGE } from './command/command-line.js';
import { readSdl } from './graphql/schema/schema.js';
import { startPlayground } from './playground.js';
import { settingsText } from './command/settings-text.js';

/** `npm run playground`: starts a playground, or controls a running one. */
async function main(): Promise<void> {
  const [command, ...rest] = process.argv.slice(2);
  if (command !== undefined && ['help', '--help', '-h'].includes(command)) return print(USAGE);
  if (command === 'sdl') return print(readSdl());
  if (command !== undefined && !command.startsWith('--')) {
    const tell = (line: string): void => void process.stderr.write(`${line}\n`);
    return print(await runControl(command, rest, process.env, tell));
  }
  const options = readStartOptions(process.env, process.argv.slice(2));
  const playground = await startPlayground(options).catch((error: unknown) => {
    throw explained(error);
  });
  print(settingsText(playground, options.certificateFile));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      playground.close().catch(fail);
    });
  }
}

/** Says how to go on when a port is taken. */
function explained(error: unknown): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return error;
  return new Error(
    `Port ${String(port)} is used by another process: stop that process, or choose another port with --port (PLAYGROUND_PORT); the issuer has the next one.`,
    { cause: error },
  );
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(); // the reader of the output has gone, as `head` does
});
try {
  await main();
} catch (error) {
  fail(error);
}
