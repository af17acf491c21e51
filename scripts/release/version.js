import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** What is published, and what depends on it. All have one version. */
const MANIFESTS = ['.', 'client', 'playground', 'examples/frontend', 'examples/backend'].map(
  (folder) => `${folder}/package.json`,
);
/** What tells of the past, and what has versions of its own. */
const UNTOUCHED = ['CHANGELOG.md', 'package-lock.json', 'test', 'docs/adr'];

const OPENAPI = 'schemas/openapi.json';

/** Writes a version wherever the present one stands. */
export function setVersion(version) {
  const { version: present } = readJson('package.json');
  for (const file of MANIFESTS) writeJson(file, withVersion(readJson(file), version));
  writeJson('package-lock.json', lockedWith(readJson('package-lock.json'), version));
  for (const file of textsWith(present)) {
    writeFileSync(file, nameVersion(readFileSync(file, 'utf8'), present, version));
  }
  const openApi = readFileSync(OPENAPI, 'utf8');
  writeFileSync(OPENAPI, openApi.replace(`"version": "${present}"`, `"version": "${version}"`));
}

function textsWith(version) {
  const paths = UNTOUCHED.map((path) => `:!${path}`);
  const { stdout } = spawnSync('git', ['grep', '-lF', version, '--', '.', ...paths], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}

/** In the names of our packages' files, of the image, and in the tag that an overlay gives it. */
function nameVersion(text, present, version) {
  const named = `(?<=partner-bff[-\\w]*[-:]|partner-bff, newTag: )${present.replaceAll('.', '\\.')}(?![-\\w])`;
  return text.replaceAll(new RegExp(named, 'g'), version);
}

/** What is under Unreleased is from now on under the version. */
export function dateChanges(version, date) {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  writeFileSync('CHANGELOG.md', text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`));
}

/** With the version, and the same one of our other packages. */
function withVersion(manifest, version) {
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    name.startsWith('partner-bff-') ? `^${version}` : range,
  ]);
  return {
    ...manifest,
    version,
    ...(manifest.dependencies && { dependencies: Object.fromEntries(dependencies) }),
  };
}

function lockedWith(lock, version) {
  const packages = Object.entries(lock.packages).map(([path, entry]) => {
    const isOurs = !path.includes('node_modules/');
    return [path, isOurs ? withVersion(entry, version) : entry];
  });
  return { ...lock, version, packages: Object.fromEntries(packages) };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
