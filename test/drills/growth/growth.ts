import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Characters of the smaller text; the larger has four times as many. */
const CHARACTERS = 5_000;
const RUNS = 3;
/** Four times the text: linear work takes 4 times as long, quadratic work 16 times. */
const RATIO_MAX = 8;
/**
 * Work that is too short to be measured grows by chance; quadratic work on the larger text takes several times as long.
 */
const UNMEASURABLE_MS = 40;

/** True if `work` takes time linear in the length of its text: by the processor time of this thread, best of three. */
export function growsLinearly(
  work: (text: string) => unknown,
  textOf: (characters: number) => string,
): boolean {
  const larger = leastMs(work, textOf(4 * CHARACTERS));
  return larger < UNMEASURABLE_MS || larger < RATIO_MAX * leastMs(work, textOf(CHARACTERS));
}

/** Processor time of the quickest of `runs` runs, which others on the machine disturbed least. */
export function leastMs(work: (text: string) => unknown, text: string, runs = RUNS): number {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) {
    const before = process.threadCpuUsage();
    work(text);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

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

/** A regular expression as a source file has it. */
export interface Expression {
  readonly file: string;
  readonly expression: RegExp;
  /** True if a text is split by it, which tries it at every place. */
  readonly splits: boolean;
}

/** Every regular expression literal in the sources of a folder, tests left out, once for each file and use. */
export function expressionsIn(folder: string): readonly Expression[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => literalsIn(join(folder, name)));
}

function literalsIn(file: string): Expression[] {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<string, Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const splits = ts.isCallExpression(node.parent) && /\.split$/.test(node.parent.expression.getText());
      found.set(`${node.text} ${splits}`, { file, expression: compile(node.text), splits });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
}

function compile(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
