#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import net from 'node:net';
import { join } from 'node:path';

/** The oldest Node.js that runs the service; `engines` in package.json says the same. */
const NODE_MIN = '24.16';

// The entry point: the command `partner-bff`. Everything of ours is imported once the version is known to do: an older one
// cannot link the service, and would end with a stack trace before its first line runs.
if (process.versions.node.localeCompare(NODE_MIN, 'en', { numeric: true }) >= 0) {
  // Of every connection: Node's 250 ms give up an address that is far away. The other of the two seconds that a connection
  // may take is for the next address, whose TLS takes three times its distance.
  net.setDefaultAutoSelectFamilyAttemptTimeout(1_000);
  // Made by scripts/bundle.js. It may be read-only: what it does not hold, or holds for another Node.js, is compiled.
  const compiled = join(import.meta.dirname, 'compile-cache');
  if (existsSync(compiled)) module.enableCompileCache({ directory: compiled, portable: true });
  const { runCommandLine } = await import('./command/command-line.js');
  const argv = process.argv.slice(2);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (argv.length > 0 && argv[0] !== 'start') process.exit(); // the reader of the output has gone, as `head` does; a service goes on
  });
  process.exitCode = await runCommandLine(argv, process.env, {
    print: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
} else {
  process.stderr.write(`The service needs Node.js ${NODE_MIN} or later; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
}
