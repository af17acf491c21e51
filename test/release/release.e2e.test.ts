import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../support/ask-token.js';

jest.setTimeout(300_000); // all packages are built twice, by two bundlers and a compiler

/** Licenses that let us pass the code on under the MIT License, as long as their text goes with it. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
];
const VERSION = '7.8.9';
/** What is no source, and would be in the way of a copy. */
const LEFT_OUT = /^(\.git|bundle|coverage|data|dist-bench|release)$|(^|\/)(node_modules|dist)$/;
/** Without what Jest and npm set here. */
const ENVIRONMENT = { ...process.env, NODE_OPTIONS: '', npm_config_omit: '' };

let folder: string;
/** A repository with the present sources, on main. */
let clone: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bff-release-'));
  clone = join(folder, 'first');
  cpSync('.', clone, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'A maintainer');
  git('config', 'user.email', 'maintainer@example.com');
  prepare(clone);
  const changes = readText('CHANGELOG.md');
  // a commit that was just released has nothing under Unreleased
  writeFileSync(join(clone, 'CHANGELOG.md'), changes.replace(/^## Unreleased$/m, '$&\n\n- A change.'));
  git('add', '--all');
  git('commit', '--quiet', '--message', 'The present sources');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The packages are those that are installed here. */
function prepare(repository: string): void {
  symlinkSync(resolve('node_modules'), join(repository, 'node_modules'));
  appendFileSync(join(repository, '.git/info/exclude'), 'node_modules\n');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
}

/** @returns the first line of its standard error, where it fails */
async function release(...args: string[]): Promise<string> {
  const options = { cwd: clone, env: ENVIRONMENT };
  const refused = await promisify(execFile)(
    'npm',
    ['run', '--silent', 'release', '--', ...args],
    options,
  ).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  );
  return refused.trim();
}

const readText = (...path: string[]): string => readFileSync(join(clone, ...path), 'utf8');
const readJson = (...path: string[]): Json => JSON.parse(readText(...path));

describe('a release is refused, in one sentence,', () => {
  const state = (): string => `${git('rev-parse', 'HEAD')} ${git('tag')} ${git('stash', 'list')}`;

  afterEach(() => git('checkout', '--quiet', '--force', 'main'));

  test.each(['1.0', 'v1.0.0', '01.0.0', '1.0.0+build'])('of the version %s', async (version) => {
    expect(await release(version)).toBe(`"${version}" is not a version: give it as 0.1.0, without a "v".`);
  });

  test('of a branch', async () => {
    git('checkout', '--quiet', '-b', 'branch');
    expect(await release(VERSION)).toBe('A release is made on main, and this is branch.');
  });

  test('of a tree with changes', async () => {
    appendFileSync(join(clone, 'README.md'), 'x');
    expect(await release(VERSION, '--checked')).toMatch(/^The working tree has changes [^\n]+$/);
  });

  test('of a version that there is', async () => {
    git('tag', 'v1.2.3');
    expect(await release('1.2.3')).toBe('The tag v1.2.3 exists: a version is released once.');
  });

  test('of nothing that users would notice', async () => {
    const before = git('rev-parse', 'HEAD');
    const [head] = readText('CHANGELOG.md').split(/(?<=^## Unreleased\n)/m);
    writeFileSync(join(clone, 'CHANGELOG.md'), `${head}\n## 0.0.1\n\n- A change.\n`);
    git('commit', '--quiet', '--all', '--message', 'Nothing new');
    expect(await release(VERSION)).toBe('CHANGELOG.md has no entry under Unreleased.');
    git('reset', '--quiet', '--hard', before);
  });

  test('of an option that there is not', async () => {
    expect(await release(VERSION, '--chekced')).toMatch(/^Unknown option '--chekced'/);
  });

  test('and a rehearsal changes nothing', async () => {
    const before = state();
    expect(await release(VERSION, '--dry-run')).toBe('');
    expect([state(), git('status', '--porcelain')]).toEqual([before, '']);
  });
});

describe('a release', () => {
  let before: string;
  beforeAll(async () => {
    before = readJson('package.json').version;
    expect(await release(VERSION, '--checked')).toBe('');
  });

  const artefact = (name: string): string => readText('release', name);
  const inside = (archive: string, path: string): string =>
    execFileSync('tar', ['-xzOf', join(clone, 'release', archive), `package/${path}`], { encoding: 'utf8' });
  const ofService = `partner-bff-${VERSION}`;
  const ofPlayground = `partner-bff-playground-${VERSION}`;

  test('is a commit of main with an annotated tag, and leaves no change behind', () => {
    expect(git('cat-file', '-t', `v${VERSION}`)).toBe('tag');
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'main'));
    expect(git('status', '--porcelain')).toBe('');
  });

  test('has one version, wherever the last one stood', () => {
    const search = ['grep', '-nF', before, '--', '.', ':!CHANGELOG.md', ':!*package-lock.json', ':!test'];
    const lines = git(...search).split('\n');
    expect(lines.filter((line) => /partner-bff|"version"/.test(line))).toEqual([]);
    const lock = readJson('package-lock.json');
    const ours = Object.entries<Json>(lock.packages).filter(([path]) => !path.includes('node_modules/'));
    expect(new Set([lock.version, ...ours.map(([, { version }]) => version)])).toEqual(new Set([VERSION]));
  });

  test('has what was under Unreleased, with its day', () => {
    const headings = [...readText('CHANGELOG.md').matchAll(/^## (.+)\n\n(?=(.*))/gm)];
    const [unreleased, released] = headings.map(([, heading, next]) => ({ heading, next }));
    expect(unreleased).toEqual({ heading: 'Unreleased', next: `## ${released!.heading}` });
    expect(released!.heading).toMatch(new RegExp(`^${VERSION} - \\d{4}-\\d\\d-\\d\\d$`));
  });

  test('has a sum of each artefact', () => {
    const sums = artefact('SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.split('  '));
    const names = readdirSync(join(clone, 'release')).filter((name) => name !== 'SHA256SUMS');
    expect(sums.map(([, name]) => name)).toEqual(names.sort());
    for (const [sum, name] of sums) expect({ name, sum }).toEqual({ name, sum: digestOf(name!) });
    expect(names).toEqual(
      expect.arrayContaining(
        ['partner-bff', 'partner-bff-client', 'partner-bff-playground'].map(
          (name) => `${name}-${VERSION}.tgz`,
        ),
      ),
    );
  });

  const digestOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(clone, 'release', name)))
      .digest('hex');

  test('says of which commit it was built, and that nobody has signed that', () => {
    const { subject, predicate } = JSON.parse(artefact('provenance.json'));
    for (const { name, digest } of subject) {
      expect({ name, digest }).toEqual({ name, digest: { sha256: digestOf(name) } });
    }
    expect(subject.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining([`${ofService}.tgz`, `${ofPlayground}.tgz`]),
    );
    const { internalParameters, resolvedDependencies } = predicate.buildDefinition;
    expect(resolvedDependencies[0].digest).toEqual({ gitCommit: git('rev-parse', 'HEAD') });
    expect(internalParameters.signature).toMatch(/^none: /);
    expect(predicate.runDetails.builder.id).toEqual(expect.any(String));
  });

  test('lists exactly the packages whose code is in the bundle, by its source maps', () => {
    const files = readdirSync(join(clone, 'bundle'), { recursive: true, encoding: 'utf8' });
    const sources = files
      .filter((file) => file.endsWith('.map'))
      .flatMap((file) => readJson('bundle', file).sources as string[])
      .map((source) => source.split('node_modules/').slice(1).at(-1))
      .map((path) => path && /^(@[^/]+\/)?[^/]+/.exec(path)![0]);
    const copied = readdirSync(join(clone, 'bundle/node_modules'));
    const { components } = JSON.parse(artefact(`${ofService}.cdx.json`));
    const listed = new Set(components.map(({ name }: Json) => name));
    expect([...listed].sort()).toEqual([...new Set([...sources.filter(Boolean), ...copied])].sort());
  });

  test.each([
    [ofService, 'bundle'],
    [ofPlayground, 'dist/graphql'],
  ])('%s holds the license of all that is in it, each one allowed', (name, path) => {
    const sbom = inside(`${name}.tgz`, `${path}/sbom.cdx.json`);
    const licenses = inside(`${name}.tgz`, `${path}/THIRD-PARTY-LICENSES`);
    expect(artefact(`${name}.cdx.json`)).toBe(sbom);
    expect(artefact('THIRD-PARTY-LICENSES')).toContain(licenses);
    const { components, metadata } = JSON.parse(sbom);
    expect(metadata.component.purl).toBe(`pkg:npm/${name.replace(`-${VERSION}`, `@${VERSION}`)}`);
    const texts = new Map(licenses.split(/^## (?=\S+ \d\S* \()/m).map((text) => [text.split(' (')[0], text]));
    for (const { name: bundled, version, licenses: named, hashes } of components) {
      const text = texts.get(`${bundled} ${version}`) ?? '';
      expect({ bundled, license: named[0].license.id }).toEqual({
        bundled,
        license: expect.stringMatching(new RegExp(`^(${ALLOWED.join('|')})$`)) as string,
      });
      expect({ bundled, isWhole: /copyright|permission/i.test(text) && text.length > 500 }).toEqual({
        bundled,
        isWhole: true,
      });
      expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
    }
    expect(texts.size).toBe(components.length + 1);
  });

  test('is the same, byte for byte, when it is built again from its tag', async () => {
    const second = join(folder, 'again');
    git('-c', 'advice.detachedHead=false', 'clone', '--quiet', '--branch', `v${VERSION}`, clone, second);
    prepare(second);
    await promisify(execFile)('npm', ['run', '--silent', 'release:artefacts'], {
      cwd: second,
      env: ENVIRONMENT,
    });
    expect(readFileSync(join(second, 'release/SHA256SUMS'), 'utf8')).toBe(artefact('SHA256SUMS'));
  });
});
