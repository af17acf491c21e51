import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A number of Semantic Versioning, without build metadata: npm ignores that. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** A reason not to release, which a person can do something about. */
export class Refusal extends Error {}

/** @returns what git prints, trimmed */
export function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** @throws Refusal for the first thing that is wrong */
export function requireReleasable(version) {
  if (!VERSION.test(version)) refuse(`"${version}" is not a version: give it as 0.1.0, without a "v".`);
  const branch = git('branch', '--show-current');
  if (branch !== 'main') refuse(`A release is made on main, and this is ${branch || 'no branch'}.`);
  requireClean();
  if (git('tag', '--list', `v${version}`)) refuse(`The tag v${version} exists: a version is released once.`);
  if (!/^- /m.test(unreleased())) refuse('CHANGELOG.md has no entry under Unreleased.');
}

/** @throws Refusal where what is built would not be what is committed */
export function requireClean() {
  if (git('status', '--porcelain')) {
    refuse('The working tree has changes that are not committed: commit them or remove them first.');
  }
}

function unreleased() {
  const [, section = ''] =
    /^## Unreleased\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  return section;
}

function refuse(sentence) {
  throw new Refusal(sentence);
}
