import Sequencer from '@jest/test-sequencer';

/** Suites that take minutes, then those of pages, then other long ones begin first: all cores wait for one that begins last. */
const FIRST = [
  /\/test\/(drills\/(isolation|fleet)|packages)\//,
  /\.page\.test\.ts$/,
  /\/test\/(drills\/|start\/stopping\.e2e)/,
];

const rankOf = ({ path }) => {
  const rank = FIRST.findIndex((suites) => suites.test(path));
  return rank === -1 ? FIRST.length : rank;
};

/** Jest's own order, by size or by how long a suite took the last time, in each of these groups. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
