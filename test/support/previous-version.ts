import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce, buildService, builtProgram, COMPILE_CACHE, type Program } from './start-process.js';

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
