import type { Expression } from './expressions.js';

/** A text that grows: `start`, then `pump` over and over, then `end`. */
export interface HostileInput {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

/** The characters that a class or an escape may stand for. */
const STAND_INS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\\s/, [' ', '\n']],
  [/\\w|a-z|A-Z|\\p\{L\}|\(\.|\.[+*]|\[\^/, ['a', '_']],
  [/\\d|0-9|\\p\{N\}/, ['0']],
  [/\\r|\\n|\^/, ['\n', '\r\n']],
  [/x21|x20|\\p/, ['!', ' ']],
  [/-\]|\.-|-\.|w-/, ['-', '.']],
];
const COMMON = ['a', '0', ' ', '.', '-', ','];
const ENDS = ['', '\u0000', '!'];

/**
 * Texts that make an expression try again and again: what its own source names, alone and in pairs, after each part
 * of it that is literal.
 */
export function* hostileInputs({ expression }: Expression): Generator<HostileInput> {
  const words = literalWords(expression.source);
  const named = words.map((_, index) => words.slice(0, index + 1).join(''));
  const starts = new Set(['', 'a', ...named.flatMap((start) => [start, `a${start}`, `a${start}a`])]);
  for (const pump of pumps(expression.source, words)) {
    for (const start of starts) for (const end of ENDS) yield { start, pump, end };
  }
}

/** The text of about `characters` characters. */
export function grown({ start, pump, end }: HostileInput, characters: number): string {
  return start + pump.repeat(Math.ceil(characters / pump.length)) + end;
}

function pumps(source: string, words: readonly string[]): ReadonlySet<string> {
  const named = STAND_INS.flatMap(([place, texts]) => (place.test(source) ? texts : []));
  const single = [...new Set([...COMMON, ...named, ...words])];
  return new Set([...single, ...words.flatMap((word) => single.map((other) => word + other))]);
}

/** The runs of plain characters in the source of an expression, classes and quantifiers left out. */
function literalWords(source: string): readonly string[] {
  const plain = source
    .replaceAll(/\\p\{\w+\}|\\x[\da-f]{2}|\\u\w{4}|\\[a-z]|\{\d+(,\d*)?\}|\(\?[:=!]/gi, '\0')
    .replaceAll(/(?<!\\)[()[\]{}?*+|^$.]/g, '\0')
    .replaceAll('\\', '');
  return plain.split('\0').filter((word) => word !== '');
}
