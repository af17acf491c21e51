import type { Environment } from '../config/load-config.js';
import { ExitFault } from '../errors/exit-fault.js';
import type { SchemaDrift } from '../ops/schema-check/schema-drift.js';

/** Exit code for a command line that is wrong. */
export const MISUSED = 2;

/** A subcommand of `partner-bff`. */
export interface Command {
  /** A line of the list of commands. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly usage: string;
  readonly load: () => Promise<Run>;
}

/**
 * The work of a {@link Command}.
 * @param argv what follows the name
 * @returns the exit code; undefined for a command that goes on by itself
 * @throws CommandFault, ConfigError, UnavailableError
 */
export type Run = (
  argv: readonly string[],
  environment: Environment,
  output: Output,
) => Promise<number | undefined>;

/** Where a command writes, one line a call. */
export interface Output {
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Why a command ends without having done what it was asked, in a sentence that says what to do. */
export class CommandFault extends ExitFault {}

/** How many faults a schema finds, and how much that it deprecates. */
export function countDrift({ faults, deprecated }: SchemaDrift): string {
  return `${counted(faults.length, 'fault')}, ${counted(deprecated.length, 'use')} of deprecated members`;
}

/** A number of things, such as `1 row` or `2 rows`. */
export function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
