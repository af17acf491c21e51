import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import {
  buildOnce,
  hashOf,
  buildService,
  builtProgram,
  COMPILE_CACHE,
  type Program,
} from './start-process.js';
import { THIS_VERSION, type StoreVersion } from '../../src/storage/migrate.js';

/** The version of the release that suites share. */
export const RELEASED = '7.8.9';
/** Without what Jest and npm set that could change what is built. */
export const CLEAN = { ...process.env, NODE_ENV: '', NODE_OPTIONS: '', npm_config_omit: '' };

/**
 * A repository in which the present sources were committed and then released: the one set of artefacts, in its folder
 * `release`, for every suite of what is published. Nothing may write to it.
 */
export function releasedRepository(): string {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  const sources = listed
    .toString()
    .split('\0')
    .filter((path) => !/^$|(^|\/)test\//.test(path) && existsSync(path));
  return buildOnce(`release-${hashOf(sources)}`, (made) => {
    for (const path of sources) cpSync(path, join(made, path));
    const changes = join(made, 'CHANGELOG.md');
    // a commit that was just released has nothing under Unreleased
    writeFileSync(changes, readFileSync(changes, 'utf8').replace(/^## Unreleased$/m, '$&\n\n- A change.'));
    const run = (program: string, ...args: string[]): unknown =>
      execFileSync(program, args, { cwd: made, env: CLEAN, stdio: ['ignore', 'pipe', 'pipe'] });
    run('git', 'init', '--quiet', '--initial-branch=main');
    asMaintainer(made);
    run('git', 'add', '--all');
    run('git', 'commit', '--quiet', '--message', 'The present sources');
    run('npm', 'run', '--silent', 'release', '--', RELEASED, '--checked');
  });
}

/** Makes a repository one that can be committed to, with the packages that are installed here. */
export function asMaintainer(repository: string): void {
  for (const [name, value] of [
    ['user.name', 'A maintainer'],
    ['user.email', 'maintainer@example.com'],
  ]) {
    execFileSync('git', ['config', name!, value!], { cwd: repository });
  }
  symlinkSync(resolve('node_modules'), join(repository, 'node_modules'));
  appendFileSync(join(repository, '.git/info/exclude'), 'node_modules\n');
}

/** The tarball of a package as it is published. */
export function packed(name: 'partner-bff' | 'partner-bff-client' | 'partner-bff-playground'): string {
  return join(releasedRepository(), 'release', `${name}-${RELEASED}.tgz`);
}

/** A version of the service, compiled. */
export interface Version {
  readonly name: string;
  readonly program: Program;
}

/**
 * The version before this one, with the packages of this one: the latest tag before the present commit. As long as
 * there is none, it is this version, under a name that says so.
 */
export function previousVersion(): Version {
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^')?.toString().trim();
  const commit = tag && git('rev-parse', `${tag}^{commit}`)?.toString().trim();
  const archive = commit && git('archive', commit);
  if (!archive) return { name: 'none is released: itself', program: builtProgram() };
  const folder = buildOnce(`previous-${commit}`, (made) => {
    const sources = join(made, 'sources');
    mkdirSync(sources);
    execFileSync('tar', ['--extract', '--directory', sources], { input: archive });
    buildService(made, sources);
  });
  return { name: tag, program: { args: [join(folder, 'main.js')], nodeEnvironment: COMPILE_CACHE } };
}

function git(...args: string[]): Buffer | undefined {
  try {
    return execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e9 });
  } catch {
    return undefined;
  }
}

const EVERY_TABLE = ['memberships', 'audit', 'events', 'event_cursors'];

/**
 * A made-up later version with one step more, which adds a column to every table that there is today.
 * @param oldestFormat the lowest format of the versions that can use a store after that step
 */
export function laterVersion(name: string, oldestFormat: number): StoreVersion {
  const sql = EVERY_TABLE.map((table) => `ALTER TABLE ${table} ADD COLUMN made_up TEXT DEFAULT 'x';`).join(
    '\n',
  );
  const step = { name: `9999-${name.replaceAll(' ', '-')}`, oldestFormat, sql };
  return { format: oldestFormat, migrations: [...THIS_VERSION.migrations, step] };
}
