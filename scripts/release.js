import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { FOLDER, makeArtefacts } from './release/artefacts.js';
import { git, Refusal, requireClean, requireReleasable } from './release/tree.js';
import { dateChanges, setVersion } from './release/version.js';

/**
 * `npm run release -- 0.1.0`: makes a release of main on this machine, and pushes nothing. `--checked` says that
 * `.ci/run` has passed on this very commit; `--dry-run` says what would be done.
 */
const USAGE = 'npm run release -- <version> [--checked] [--dry-run]';

/** Each step says what it does, and does it. The tag comes last, so that it names only what could be built. */
function stepsOf(version, isChecked) {
  const date = new Date().toISOString().slice(0, 10);
  const steps = [
    ['runs .ci/run', check],
    [`sets the version ${version} in every package`, () => setVersion(version)],
    [`moves what is Unreleased in CHANGELOG.md under ${version} - ${date}`, () => dateChanges(version, date)],
    [
      `commits "Release ${version}"`,
      () => git('commit', '--quiet', '--all', '--message', `Release ${version}`),
    ],
    [`packs into ${FOLDER}/, with sums`, makeArtefacts],
    [
      `tags v${version}`,
      () => git('tag', '--annotate', `v${version}`, '--message', `Partner BFF ${version}`),
    ],
  ];
  return isChecked ? steps.slice(1) : steps;
}

function check() {
  execFileSync('.ci/run', { stdio: 'inherit' });
  requireClean();
}

function release(version, { checked, 'dry-run': isDry }) {
  requireReleasable(version);
  for (const [says, does] of stepsOf(version, checked)) {
    console.log(isDry ? `Would do: ${says}` : says);
    if (!isDry) does();
  }
  if (!isDry) console.log(`Released ${version}. To publish it: git push origin main v${version}`);
}

try {
  const options = { checked: { type: 'boolean' }, 'dry-run': { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length !== 1) throw new Refusal(`Usage: ${USAGE}`);
  release(positionals[0], values);
} catch (error) {
  const isExpected = error instanceof Refusal || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
}
