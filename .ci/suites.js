// Reads the reports of Jest that `.ci/run` leaves in a folder.
//   node .ci/suites.js failed FOLDER   the suites that failed, a path a line; exit code 1 if tests did not come to run, too many suites failed to be chance, or someone was served what is not theirs
//   node .ci/suites.js count FOLDER    how many tests passed and failed, a suite that ran again by its second run
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PARTS = ['beside-each-other', 'alone'];
/** More than these are no busy machine. */
const AGAIN_MAX = 5;

const [word, folder] = process.argv.slice(2);
const read = (part) => JSON.parse(readFileSync(join(folder, `${part}.json`), 'utf8')).testResults;
const hasFailed = ({ status }) => status === 'failed';
/** What the isolation drill found is a fault, also where it comes but once. */
const isViolation = ({ name, assertionResults }) =>
  name.includes('/test/drills/isolation/') &&
  assertionResults.some(({ failureMessages }) => /\bviolations\b/.test(failureMessages.join('\n')));

if (word === 'failed') {
  if (!PARTS.every((part) => existsSync(join(folder, `${part}.json`)))) process.exit(1);
  const failed = PARTS.flatMap(read).filter(hasFailed);
  process.stdout.write(failed.map(({ name }) => `${name}\n`).join(''));
  process.exitCode = failed.length > 0 && failed.length <= AGAIN_MAX && !failed.some(isViolation) ? 0 : 1;
} else {
  const suites = new Map();
  let unread = 0;
  for (const part of [...PARTS, 'again']) {
    if (existsSync(join(folder, `${part}.json`))) {
      for (const suite of read(part)) {
        if (part === 'again') console.log(`ran again: ${suite.name}: ${suite.status}`);
        suites.set(suite.name, suite);
      }
    } else if (part !== 'again') {
      unread += 1; // it did not come to run the tests
    }
  }
  const count = (wanted) =>
    [...suites.values()].reduce(
      (sum, { assertionResults }) => sum + assertionResults.filter(({ status }) => status === wanted).length,
      0,
    );
  const broken = [...suites.values()].filter(
    (suite) => hasFailed(suite) && suite.assertionResults.every(({ status }) => status !== 'failed'),
  ).length;
  console.log(`${count('passed')} passed, ${count('failed') + broken + unread} failed`);
}
