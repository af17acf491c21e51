import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A commit, built beside this checkout with its packages. */
export interface BuiltCommit {
  readonly name: string;
  /** The compiled entry point. */
  readonly main: string;
  /** Removes the build. */
  remove(): void;
}

/**
 * Builds the service of a commit of this repository, in a worktree of its own and as this checkout's is built. It runs on
 * the packages of this checkout, so that code is compared and not versions of packages.
 * @throws Error for a commit that does not exist or does not compile
 */
export function buildCommit(commit: string): BuiltCommit {
  const folder = mkdtempSync(join(tmpdir(), 'bff-bench-commit-'));
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const name = git('rev-parse', '--short', `${commit}^{commit}`);
  git('worktree', 'add', '--quiet', '--force', '--detach', folder, name);
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const sources = ['src', 'playground/src'].filter((source) => existsSync(join(folder, source)));
    const options = ['--out-dir', 'dist-bench', '--copy-files', '--quiet'];
    execFileSync(resolve('node_modules/.bin/swc'), [...sources, ...options], { cwd: folder });
    const schema = 'playground/schema.graphql';
    if (existsSync(join(folder, schema))) cpSync(join(folder, schema), join(folder, 'dist-bench', schema));
  } catch (error) {
    remove();
    throw error;
  }
  return { name, main: join(folder, 'dist-bench/src/main.js'), remove };
}
