import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
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
 * Builds the service of a commit of this repository, in a worktree of its own, with the packages of its own lock file: what
 * its users ran is compared, and a commit that used other packages still starts.
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
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--silent'], { cwd: folder });
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
