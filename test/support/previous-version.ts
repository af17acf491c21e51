import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce, buildService, builtProgram, COMPILE_CACHE, type Program } from './start-process.js';

/** A version of the service, compiled. */
export interface Version {
  readonly name: string;
  readonly program: Program;
}

/** A commit that could be gone back to, whose packages are still those of this one. */
const FIRST = '00e2cbde72a4d27af7e9e88b4e47359149a04dcf';

/**
 * The version before this one, with the packages of this one: the latest tag before the present commit, and the first
 * commit that could be gone back to as long as there is no tag. Where git has no history, it is this version, under a
 * name that says so.
 */
export function previousVersion(): Version {
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^')?.toString().trim() ?? FIRST;
  const commit = git('rev-parse', `${tag}^{commit}`)?.toString().trim();
  const archive = commit && git('archive', commit);
  if (!archive) return { name: 'without git history: itself', program: builtProgram() };
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
