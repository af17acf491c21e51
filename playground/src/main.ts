import { readStartOptions, runControl, USAGE } from './command-line.js';
import { startPlayground } from './playground.js';

/** `npm run playground`: starts a playground, or controls a running one. */
async function main(): Promise<void> {
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'help' || command === '--help') return print(USAGE);
  if (command !== undefined && !command.startsWith('--')) {
    return print(await runControl(command, rest, process.env));
  }
  const playground = await startPlayground(readStartOptions(process.env, process.argv.slice(2)));
  const settings = Object.entries(playground.settings).map(([name, value]) => `${name}=${value}\n`);
  print(
    `# The playground is running. Examples: ${playground.upstreamUrl}/\n# Settings for a service:\n${settings.join('')}`,
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void playground.close());
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
