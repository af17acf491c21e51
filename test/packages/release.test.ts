import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asMaintainer, CLEAN, RELEASED, releasedRepository } from '../support/builds.js';
import { newFolder } from '../support/machine.js';
import type { Json } from '../support/start-stack.js';

jest.setTimeout(180_000); // all packages are built

const VERSION = RELEASED;

let folder: string;
/** A clone of what was released, as it was before. */
let clone: string;
beforeAll(() => {
  folder = newFolder();
  clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', releasedRepository(), clone]);
  asMaintainer(clone);
  git('tag', '--delete', `v${VERSION}`);
  git('reset', '--quiet', '--hard', 'HEAD^');
});

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
}

/** @returns the first line of its standard error, where it fails */
async function release(...args: string[]): Promise<string> {
  const options = { cwd: clone, env: CLEAN };
  const command = ['run', '--silent', 'release', '--', ...args];
  const refused = await promisify(execFile)('npm', command, options).then(
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
  const { version: before } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  beforeAll(() => {
    clone = releasedRepository();
  });

  const artefact = (name: string): string => readText('release', name);

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
    const names = ['partner-bff', 'partner-bff-client', 'partner-bff-playground'];
    const files = [...names.map((name) => `${name}-${VERSION}.tgz`), 'sbom.cdx.json'];
    expect(readdirSync(join(clone, 'release')).sort()).toEqual(['SHA256SUMS', ...files].sort());
    expect(sums.map(([, name]) => name)).toEqual(files.sort());
    for (const [sum, name] of sums) expect({ name, sum }).toEqual({ name, sum: digestOf(name!) });
  });

  const digestOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(clone, 'release', name)))
      .digest('hex');
});
