import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildOnce, hashOf } from './start-process.js';

/** Without what Jest and npm set that could change what is built. */
const CLEAN = { ...process.env, NODE_ENV: '', NODE_OPTIONS: '', npm_config_omit: '' };
/** What is made of a package, or is not published. */
const NO_SOURCES = ['dist', 'test', 'node_modules'];
/** What the packages' own scripts read of the repository. */
const AROUND = ['.swcrc', 'tsconfig.json', 'LICENSE'];

/**
 * The tarball of a package as it would be published, build included, which suites share; packed from a copy, since
 * packing builds into the folder it packs.
 */
export function packed(name: 'client' | 'playground'): string {
  const files = readdirSync(name).filter((file) => !NO_SOURCES.includes(file));
  const sources = [...files.map((file) => join(name, file)), ...AROUND];
  const folder = buildOnce(`${name}-${hashOf(sources)}`, (made) => {
    const copy = mkdtempSync(join(tmpdir(), 'pack-'));
    for (const path of sources) cpSync(path, join(copy, path), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    const options = { cwd: join(copy, name), env: CLEAN, stdio: 'pipe' } as const;
    execFileSync('npm', ['pack', '--pack-destination', made], options);
  });
  return join(folder, readdirSync(folder)[0]!);
}
