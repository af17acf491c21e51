import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENSES_FILE, SBOM_FILE } from '../third-party.js';
import { provenanceOf } from './provenance.js';
import { requireClean } from './tree.js';

/** Where the artefacts are written; git ignores it. */
export const FOLDER = 'release';
const PACKAGES = {
  'partner-bff': '.',
  'partner-bff-client': 'client',
  'partner-bff-playground': 'playground',
};
/** Where a package keeps what the bundler put into it. The client package has nothing in it but its own code. */
const BUNDLES = { 'partner-bff': 'bundle', 'partner-bff-playground': 'dist/graphql' };

/**
 * Packs the packages of the present commit, with their bills of materials, licenses, provenance and sums. Two runs on
 * one commit, by one version of Node.js and npm, give the same bytes: nothing has a time in it.
 * @throws Refusal where the working tree is not the commit
 */
export function makeArtefacts() {
  requireClean();
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const folder of Object.values(PACKAGES)) pack(folder);
  describe(version);
  write('provenance.json', `${JSON.stringify(provenanceOf(version, digests()), null, 2)}\n`);
  write(
    'SHA256SUMS',
    digests()
      .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
      .join(''),
  );
}

function pack(folder) {
  const workspace = folder === '.' ? [] : [`--workspace=${folder}`];
  const args = ['pack', '--silent', '--pack-destination', FOLDER, ...workspace];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Beside the packages, what is also inside them. */
function describe(version) {
  const bundles = Object.entries(BUNDLES).map(([name, folder]) => {
    const inside = (file) => unpacked(`${name}-${version}.tgz`, `package/${folder}/${file}`);
    write(`${name}-${version}.${SBOM_FILE.replace('sbom.', '')}`, inside(SBOM_FILE));
    return inside(LICENSES_FILE);
  });
  write(LICENSES_FILE, bundles.join('\n'));
}

function unpacked(archive, path) {
  return execFileSync('tar', ['-xzOf', join(FOLDER, archive), path], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
}

function digests() {
  return readdirSync(FOLDER)
    .sort()
    .map((name) => ({
      name,
      sha256: createHash('sha256')
        .update(readFileSync(join(FOLDER, name)))
        .digest('hex'),
    }));
}

function write(name, text) {
  writeFileSync(join(FOLDER, name), text);
}

if (import.meta.main) makeArtefacts();
