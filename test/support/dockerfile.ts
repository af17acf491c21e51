import { readFileSync } from 'node:fs';

interface Stage {
  readonly name: string;
  /** Another stage, or an image. */
  readonly base: string;
  /** Its instructions, one a line. */
  readonly text: string;
}

/** The name of the stage that compiles. */
export const BUILD_STAGE = 'build';

const TEXT = readFileSync('deploy/Dockerfile', 'utf8').replaceAll(/\\\n\s*/g, ' ');
const [HEAD = '', ...PARTS] = TEXT.split(/^(?=FROM )/m);
const ARGUMENTS = new Map([...HEAD.matchAll(/^ARG (\w+)=(.+)$/gm)].map(([, name, value]) => [name, value!]));
const STAGES = PARTS.map(readStage);

function readStage(text: string): Stage {
  const [, base = '', name = ''] = /^FROM (\S+)(?: AS (\S+))?/.exec(text)!;
  return {
    name,
    base: base.replace(/^\$\{(\w+)\}$/, (_, argument: string) => ARGUMENTS.get(argument)!),
    text,
  };
}

/**
 * What an image is made of: the instructions of a stage and of those that it is made from, those first.
 * @param name of a stage; the last one where none is given, as the engine builds it
 */
export function instructionsOf(name?: string): string {
  const stage = name === undefined ? STAGES.at(-1)! : STAGES.find((one) => one.name === name);
  if (stage === undefined) return '';
  return `${instructionsOf(stage.base)}\n${stage.text}`;
}

/** The image that a stage begins with. */
export function baseImageOf(name?: string): string {
  const images = [...instructionsOf(name).matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!);
  return readStage(`FROM ${images[0]!}`).base;
}

/** Of an instruction that may stand several times, the last one counts. */
export function valueOf(instructions: string, word: string): string {
  const value = [...instructions.matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].at(-1)?.[1];
  if (value === undefined) throw new Error(`the Dockerfile has no ${word}`);
  return value;
}

/** The variables that an image sets. */
export function variablesOf(instructions: string): Record<string, string> {
  const pairs = [...instructions.matchAll(/^ENV (.+)$/gm)].flatMap(([, line]) => line!.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** The labels of an image, with the arguments as they stand. */
export function labelsOf(instructions: string): Record<string, string> {
  const pairs = valueOf(instructions, 'LABEL').matchAll(/(\S+)="([^"]*)"/g);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name!, value!]));
}
