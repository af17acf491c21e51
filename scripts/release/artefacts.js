import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireClean } from './tree.js';

/** Where the artefacts are written; git ignores it. */
export const FOLDER = 'release';
const PACKAGES = ['.', 'client', 'playground'];

/**
 * Packs the packages of the present commit, lists what they are made of, and sums all.
 * @throws Refusal where the working tree is not the commit
 */
export function makeArtefacts() {
  requireClean();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const folder of PACKAGES) pack(folder);
  const sbom = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  writeFileSync(join(FOLDER, 'sbom.cdx.json'), execFileSync('npm', sbom));
  const sums = readdirSync(FOLDER).map((name) => `${digestOf(join(FOLDER, name))}  ${name}\n`);
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
}

function pack(folder) {
  const workspace = folder === '.' ? [] : [`--workspace=${folder}`];
  const args = ['pack', '--silent', '--pack-destination', FOLDER, ...workspace];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

if (import.meta.main) makeArtefacts();
