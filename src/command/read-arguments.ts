import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Misuse } from '../ops/subscriptions/command-context.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/** An option with a value. */
export const TEXT = { type: 'string' } as const;
/** An option that may be given several times. */
export const TEXTS = { type: 'string', multiple: true, default: [] as string[] } as const;
/** An option without a value. */
export const FLAG = { type: 'boolean', default: false } as const;

/**
 * Options and words of a command line.
 * @throws Misuse for an option that is not known, with the usage
 */
export function readArguments<const O extends Options>(argv: readonly string[], usage: string, options: O) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n\n${usage}`);
  }
}
