import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from './folders.js';
import {
  buildOnce,
  hashOf,
  buildService,
  builtProgram,
  COMPILE_CACHE,
  type Program,
} from './start-process.js';
import { THIS_VERSION, type StoreVersion } from '../../src/storage/migrate.js';

/** Without what Jest and npm set that could change what is built. */
const CLEAN = { ...process.env, NODE_ENV: '', NODE_OPTIONS: '', npm_config_omit: '' };
/** What is made of a package, or is not published. */
const NO_SOURCES = ['dist', 'test', 'node_modules'];
/** What the packages' own scripts read of the repository. */
const AROUND = ['.swcrc', 'tsconfig.json', 'LICENSE', 'client/src'];

/**
 * The tarball of a package as it would be published, build included, which suites share; packed from a copy, since
 * packing builds into the folder it packs.
 */
export function packed(name: 'client' | 'playground'): string {
  const files = readdirSync(name).filter((file) => !NO_SOURCES.includes(file));
  const sources = [...new Set([...files.map((file) => join(name, file)), ...AROUND])];
  const folder = buildOnce(`${name}-${hashOf(sources)}`, (made) => {
    const copy = newFolder();
    for (const path of sources) cpSync(path, join(copy, path), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    const options = { cwd: join(copy, name), env: CLEAN, stdio: 'pipe' } as const;
    execFileSync('npm', ['pack', '--pack-destination', made], options);
  });
  return join(folder, readdirSync(folder)[0]!);
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

const EVERY_TABLE = ['memberships', 'audit', 'events', 'relationship_changes', 'event_cursors'];

/**
 * A made-up later version with one step more, which adds a column to every table that there is today.
 * @param oldestFormat the lowest format of the versions that can use a store after that step
 */
export function laterVersion(name: string, oldestFormat: number): StoreVersion {
  const sql = EVERY_TABLE.map((table) => `ALTER TABLE ${table} ADD COLUMN made_up TEXT DEFAULT 'x';`).join(
    '\n',
  );
  const step = { name: `9999-${name.replaceAll(' ', '-')}`, oldestFormat, sqlite: sql, postgres: sql };
  return { format: oldestFormat, migrations: [...THIS_VERSION.migrations, step] };
}
