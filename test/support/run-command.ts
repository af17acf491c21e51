import { runCommandLine } from '../../src/command/command-line.js';
import type { Environment } from '../../src/config/load-config.js';

/** What a command left behind. */
export interface CommandResult {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs `partner-bff` in this process, which starts no service. */
export async function runCommand(argv: readonly string[], environment: Environment): Promise<CommandResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCommandLine(argv, environment, {
    print: (line) => void out.push(`${line}\n`),
    warn: (line) => void err.push(`${line}\n`),
  });
  return { code, out: out.join(''), err: err.join('') };
}
