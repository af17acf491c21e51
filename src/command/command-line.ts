// first of all: in the bundle, decorators of chunks that commands share run before what imports it otherwise
import 'reflect-metadata';
import type { Environment } from '../config/load-config.js';
import { VERSION } from '../config/version.js';
import { exitCodeOf, explain } from '../errors/exit-fault.js';
import { MISUSED, type Output } from './command.js';
import { COMMANDS } from './commands.js';
import { suggestion } from './read-arguments.js';

const HELP = ['--help', '-h', 'help'];
const LINK = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const LINK_URL = /^(tcp|udp|sctp):\/\//;

/**
 * The command `partner-bff`: runs the subcommand that is named, `start` without a word.
 * @param argv what follows the name of the program
 * @param environment the environment of the process; nothing else reads it
 * @returns the exit code; undefined while a service goes on
 */
export async function runCommandLine(
  argv: readonly string[],
  environment: Environment,
  output: Output,
): Promise<number | undefined> {
  const settings = withoutServiceLinks(environment);
  const [name = 'start', ...others] = argv[0] === 'help' && argv[1] ? [argv[1], '--help'] : argv;
  if (HELP.includes(name)) return (output.print(usage()), 0);
  if (name === '--version') return (output.print(VERSION), 0);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const names = [...Object.keys(COMMANDS), 'help', '--help', '--version'];
    output.warn(`"${name}" is not a command${suggestion(name, names)}\n\n${usage()}`);
    return MISUSED;
  }
  if (others.some((word) => word === '--help' || word === '-h')) {
    output.print(command.usage.trimEnd());
    return 0;
  }
  try {
    const run = await command.load();
    return await run(others, settings, output);
  } catch (error) {
    output.warn(explain(error, 'The command failed').trimEnd());
    await warnOfMisspelt(settings, error, output);
    return exitCodeOf(error);
  }
}

/**
 * An environment without what Kubernetes puts into a pod for each Service: of one called `ops`, `OPS_SERVICE_HOST`,
 * `OPS_PORT=tcp://…` and more, which are no settings.
 */
function withoutServiceLinks(environment: Environment): Environment {
  const own = Object.entries(environment).filter(
    ([name, value = '']) => !LINK.test(name) && !(name.endsWith('_PORT') && LINK_URL.test(value)),
  );
  return Object.fromEntries(own);
}

/** A variable that is misspelt is often what is missing. */
async function warnOfMisspelt(settings: Environment, error: unknown, { warn }: Output): Promise<void> {
  const { warnOfUnknownSettings } = await import('../config/faults/start-warnings.js');
  for (const hint of warnOfUnknownSettings(settings)) {
    if (!(error as Error).message.includes(hint)) warn(`  - ${hint}`);
  }
}

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'partner-bff <command>: the back end between a frontend and its upstream.',
    '',
    ...rows,
    '',
    '"partner-bff <command> --help" explains a command. "partner-bff --version" prints the version.',
  ].join('\n');
}
