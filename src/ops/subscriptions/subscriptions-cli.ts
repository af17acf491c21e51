import { subscriptions } from './subscriptions.js';

// The command by itself. Compiled, it starts no service.

process.exitCode = await subscriptions(process.argv.slice(2), process.env, {
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
});
