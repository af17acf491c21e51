import type { Environment } from '../config/load-config.js';
import type { Output } from '../ops/subscriptions/command-context.js';

/** A subcommand of `partner-bff`. */
export interface Command {
  readonly name: string;
  /** A line of the list of commands. */
  readonly summary: string;
  /** What `--help` prints; completions take words and options from it. */
  readonly usage: string;
  /**
   * Loads the code of the command and runs it.
   * @param argv what follows the name
   * @returns the exit code; undefined for a command that goes on by itself
   * @throws CommandFault, Misuse, AccessFault, ConfigError, UnavailableError
   */
  readonly run: Run;
}

/** The work of a {@link Command}. */
export type Run = (
  argv: readonly string[],
  environment: Environment,
  output: Output,
) => Promise<number | undefined>;

/** Why a command ends without having done what it was asked, in a sentence that says what to do. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
