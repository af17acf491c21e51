import { spawnSync } from 'node:child_process';

/** The programs of these that are installed: suites run with each, and `npm run check` says which are missing. */
export function installed(...names: readonly string[]): string[] {
  return names.filter((name) => spawnSync('which', [name]).status === 0);
}
