import { readFileSync, chmodSync, chownSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { newFolder } from '../support/machine.js';
import type { Environment } from '../../src/config/load-config.js';
import { packed } from '../support/builds.js';
import type { Program } from '../support/start-process.js';

interface Stage {
  readonly name: string;
  /** Another stage, or an image. */
  readonly base: string;
  /** Its instructions, one a line. */
  readonly text: string;
}

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

/** The contents of the container image, in a folder of this machine. */
export interface ContainerImage {
  /** The image's root. Only folders that the Dockerfile gives to the image's user can be written. */
  readonly root: string;
  /** The image's working directory. */
  readonly workdir: string;
  /** The program of the image, as the image's user; as our own user where we are not root. */
  readonly program: Program;
  /** The environment that the image sets. */
  readonly environment: Environment;
  remove(): void;
}

/** Where the image's Node is. */
const NODE = 'nodejs/bin/node';
const IGNORED = readFileSync('.dockerignore', 'utf8').split('\n');

/** Follows `deploy/Dockerfile` without a container engine: installs what it copies into the image, the bundle of the release. */
export function installImage(): ContainerImage {
  const first = instructionsOf('build');
  const last = instructionsOf();
  const root = newFolder();
  const workdir = join(root, valueOf(last, 'WORKDIR'));
  const copies = copiesOf(last, root);
  for (const { source, target } of copies) {
    mkdirSync(dirname(target), { recursive: true });
    if (source === valueOf(first, 'RUN mkdir')) mkdirSync(target);
    else installFromContext(relative(valueOf(first, 'WORKDIR'), source), target);
  }
  mkdirSync(join(root, valueOf(last, 'VOLUME')), { recursive: true }); // as the engine does
  linkFiles([process.execPath], join(root, dirname(NODE)));
  setFolderModes(root, 0o555);
  const user = userOf(last);
  const isOurs = process.getuid?.() !== 0;
  for (const { target } of copies.filter(({ owner }) => owner === valueOf(last, 'USER'))) {
    chmodSync(target, 0o755);
    if (!isOurs) chownSync(target, user.uid, user.gid);
  }
  const [node, ...entry] = JSON.parse(valueOf(last, 'ENTRYPOINT')) as string[];
  if (node !== `/${NODE}`) throw new Error(`the entry point is not ${NODE}`);
  const args = [...entry, ...(JSON.parse(valueOf(last, 'CMD')) as string[])];
  return {
    root,
    workdir,
    program: { args, node: join(root, NODE), cwd: workdir, ...(!isOurs && user) },
    environment: readEnvironment(last, root),
    remove: () => {
      setFolderModes(root, 0o755);
      rmSync(root, { recursive: true });
    },
  };
}

interface Copy {
  readonly owner: string | undefined;
  /** In the first stage. */
  readonly source: string;
  /** On this machine. */
  readonly target: string;
}

function copiesOf(stage: string, root: string): Copy[] {
  const copies = stage.matchAll(
    /^COPY --from=build\S* (?:--chown=(?<owner>\S+) )?(?<source>\S+) (?<to>\S+)$/gm,
  );
  return [...copies].map(({ groups }) => {
    const { owner, source, to } = groups as { owner?: string; source: string; to: string };
    const path = resolve(valueOf(stage, 'WORKDIR'), to, to.endsWith('/') ? basename(source) : '');
    return { owner, source, target: join(root, path) };
  });
}

function installFromContext(source: string, target: string): void {
  if (source === 'bundle') {
    mkdirSync(target);
    const options = ['--strip-components=2', '-C', target, 'package/bundle'];
    execFileSync('tar', ['-xzf', packed('partner-bff'), ...options]);
    return;
  }
  if (IGNORED.includes(source)) throw new Error(`${source} is in .dockerignore, so that no stage has it`);
  cpSync(source, target, { recursive: true });
}

/** The user that the image runs as. */
function userOf(stage: string): { uid: number; gid: number } {
  const [uid, gid] = valueOf(stage, 'USER').split(':').map(Number) as [number, number];
  return { uid, gid };
}

/** The image's variables. Its volume is a folder of the installation. */
function readEnvironment(stage: string, root: string): Environment {
  const volume = valueOf(stage, 'VOLUME');
  const variables = Object.entries(variablesOf(stage));
  return Object.fromEntries(
    variables.map(([name, value]) => [name, value === volume ? join(root, value) : value]),
  );
}

/** Hard links: node's packages are too many files to copy in a test. Another file system takes copies only. */
function linkFiles(sources: readonly string[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('cp', ['-Rl', ...sources, folder], { stdio: 'pipe' });
  } catch {
    execFileSync('cp', ['-R', ...sources, folder]);
  }
}

function setFolderModes(root: string, mode: number): void {
  chmodSync(root, mode);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), mode);
  }
}

/** The lines `NAME=value` of a text. */
export function settingsIn(text: string): Record<string, string> {
  const lines = text.matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
}
