import { Misuse, type Output } from '../ops/subscriptions/command-context.js';
import type { Command } from './command.js';
import { COMPLETION_USAGE } from './usage.js';

type Commands = readonly Command[];

/** What may follow each command: the words and options that its usage names. */
function candidates(commands: Commands): (readonly [name: string, words: readonly string[]])[] {
  return commands.map(({ name, usage }) => {
    const words = usage.matchAll(new RegExp(`^  partner-bff ${name} +([a-z]+)`, 'gm'));
    const options = usage.matchAll(/(--[a-z][a-z-]*)/g);
    return [name, [...new Set([...words, ...options].map(([, word]) => word!)), '--help']];
  });
}

function bash(commands: Commands): string {
  const cases = candidates(commands).map(([name, words]) => `    ${name}) words='${words.join(' ')}' ;;`);
  return [
    '_partner_bff() {',
    '  local words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    *) words='${commands.map(({ name }) => name).join(' ')} --help --version' ;;`,
    '  esac',
    `  [ "$COMP_CWORD" -eq 1 ] && words='${commands.map(({ name }) => name).join(' ')} --help --version'`,
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _partner_bff partner-bff',
  ].join('\n');
}

function zsh(commands: Commands): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${summary.replaceAll("'", "'\\''")}'`);
  const cases = candidates(commands).map(([name, words]) => `    ${name}) compadd -- ${words.join(' ')} ;;`);
  return [
    '#compdef partner-bff',
    '_partner_bff() {',
    '  local -a commands',
    '  commands=(',
    ...described,
    '  )',
    '  if (( CURRENT == 2 )); then',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  case "${words[2]}" in',
    ...cases,
    '  esac',
    '  _files',
    '}',
    'compdef _partner_bff partner-bff',
  ].join('\n');
}

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh };

/** `completion`: the script of a shell. */
export async function completion(
  argv: readonly string[],
  commands: Commands,
  { print }: Output,
): Promise<number> {
  const [shell = '', ...others] = argv;
  if (others.length > 0 || !Object.hasOwn(SHELLS, shell)) throw new Misuse(COMPLETION_USAGE);
  print(SHELLS[shell]!(commands));
  return 0;
}
