import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../config/nearest-name.js';
import { CommandFault, MISUSED } from './command.js';

const TYPING_ERRORS_MAX = 2;

type Options = NonNullable<ParseArgsConfig['options']>;

/** The arguments of a command or subcommand; others are refused. */
export interface Form {
  /** As in `<file>`; `[<id>...]` are any number, and stand last. */
  readonly operands?: readonly string[];
  readonly options?: Options;
}

/** Values of the options, and the operands, in order. */
interface Arguments<F extends Form> {
  readonly values: Values<F['options'] extends Options ? F['options'] : Record<never, never>>;
  readonly operands: readonly string[];
}

/** Values of options, by their names. */
export type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: O }>
>['values'];

/** An option with a value. */
export const TEXT = { type: 'string' } as const;
/** An option that may be given several times. */
export const TEXTS = { type: 'string', multiple: true, default: [] as string[] } as const;
/** An option without a value. */
export const FLAG = { type: 'boolean', default: false } as const;

/**
 * Reads what follows the name of a command that has no subcommands.
 * @throws CommandFault for what its form does not have, and for operands left out
 */
export function readArguments<const F extends Form>(
  name: string,
  argv: readonly string[],
  form: F,
): Arguments<F> {
  const { options = {}, operands: names = [] } = form;
  const lenient = { args: [...argv], options, allowPositionals: true, strict: false, tokens: true } as const;
  for (const token of parseArgs(lenient).tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const known = Object.keys(options).map((option) => `--${option}`);
    refuse(name, `${name} takes no ${token.rawName}${suggestion(token.rawName, [...known, '--help'])}`);
  }
  const { values, positionals } = parseStrictly(name, argv, options);
  const required = names.filter((operand) => !operand.startsWith('['));
  const missing = required.find((_name, index) => (positionals[index] ?? '') === '');
  if (missing !== undefined) refuse(name, `${name} needs ${missing}.`);
  const extra = names.length > required.length ? undefined : positionals[names.length];
  if (extra !== undefined) refuse(name, `${name} does not take "${extra}".`);
  return { values: values as Arguments<F>['values'], operands: positionals };
}

function parseStrictly(name: string, argv: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (error) {
    return refuse(name, (error as Error).message);
  }
}

function refuse(name: string, fault: string): never {
  const [command] = name.split(' ');
  throw new CommandFault(`${fault}\n"partner-bff ${command} --help" explains its use.`, MISUSED);
}

/** A subcommand that was named, with what its own form takes. */
export type Subcommand<Forms extends Record<string, Form>> = {
  [Name in keyof Forms & string]: { readonly name: Name } & Arguments<Forms[Name]>;
}[keyof Forms & string];

/**
 * Reads what follows the name of a command that has subcommands.
 * @throws CommandFault for a subcommand that there is not, and for what its form does not have
 */
export function readSubcommand<const Forms extends Record<string, Form>>(
  command: string,
  argv: readonly string[],
  forms: Forms,
): Subcommand<Forms> {
  const names = Object.keys(forms);
  const options = Object.assign({}, ...Object.values(forms).map((form) => form.options)) as Options;
  const { positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false });
  const [name] = positionals;
  if (name === undefined) refuse(command, `${command} needs one of: ${names.join(', ')}.`);
  if (!Object.hasOwn(forms, name)) {
    refuse(command, `${command} has no "${name}"${suggestion(name, names)} It has: ${names.join(', ')}.`);
  }
  const form = forms[name]!;
  const operands = [name, ...(form.operands ?? [])];
  const read = readArguments(`${command} ${name}`, argv, { ...form, operands });
  return { name, ...read, operands: read.operands.slice(1) } as unknown as Subcommand<Forms>;
}

/** The end of a sentence about a word that is not known: with the nearest name, where one is near. */
export function suggestion(word: string, names: readonly string[]): string {
  const nearest = nearestName(word, names, TYPING_ERRORS_MAX);
  return nearest === undefined ? '.' : `. Did you mean "${nearest}"?`;
}
