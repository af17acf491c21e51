import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

if (Number.parseInt(process.versions.node, 10) < 24) {
  throw new Error(
    `The tests need Node.js 24, and run on ${process.versions.node}: the package "node" has no program (npm ci --ignore-scripts). Run "npm rebuild node".`,
  );
}

/** Halves the time in which threads and processes of the tests start. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compile-cache');

/**
 * What a suite needs decides where it runs, and its name says it. A project whose programs or servers are missing fails
 * and names what to install.
 */
const PROJECTS = {
  /** PostgreSQL, Redis, NATS and RabbitMQ, by the variables `TEST_…_URL`; nginx, systemd, kubectl. */
  servers: ['**/test/servers/*.test.ts'],
  /** A Chromium. */
  pages: ['**/*.page.test.ts'],
  /** npm, bundlers and compilers over what is published: packages, image, release. */
  packages: ['**/test/packages/*.test.ts', '**/package*.test.ts'],
  /** Programs of databases and brokers, root, a quiet machine. */
  drills: ['**/test/drills/{brokers,fleet,growth,objects,overload}/*.test.ts'],
  /** Drills that only nights and people run. */
  long: ['**/test/drills/*.drill.ts'],
};

/** Suites of the core with bounds of time or memory that a neighbour on a small machine can push them over. */
const MEASURED = [
  '**/test/fuzz/*.test.ts',
  '**/test/ops/{metrics,shutdown}.e2e.test.ts',
  '**/test/playground/{endpoint-rules,event-rate,faults}.e2e.test.ts',
  '**/test/proxy/{attachments,budgets,hoarders,hostile-*,large-answers}.e2e.test.ts',
  '**/test/start/{slow-callers,stopping.e2e,unfinished-bodies}.test.ts',
  '**/test/webhooks/{receive,relationships,verification}.e2e.test.ts',
  '**/src/json/parse-exact.test.ts',
  '**/src/operations/{answers/confined-answers-time,attachments/attachment-links,confine/values-at}.test.ts',
];

const except = (patterns) => patterns.map((pattern) => `!${pattern}`);
const { servers, pages, packages, drills, long } = PROJECTS;
/** All that needs nothing; by `TEST_MEASURED`, `only` what measures, or `none` of it. */
const core = {
  only: MEASURED,
  none: ['**/*.test.ts', ...except([...Object.values(PROJECTS).flat(), ...MEASURED])],
}[process.env.TEST_MEASURED] ?? ['**/*.test.ts', ...except(Object.values(PROJECTS).flat())];

const project = (displayName, testMatch) => ({
  displayName,
  testMatch,
  testEnvironment: './test/support/test-environment.js',
  runtime: './test/support/test-runtime.js',
  roots: ['<rootDir>/src', '<rootDir>/playground/src', '<rootDir>/client/test', '<rootDir>/test'],
  transform: { '^.+\\.ts$': '@swc/jest' },
});

export default {
  projects: [
    project('core', core),
    project('servers', servers),
    project('pages', pages),
    project('packages', packages),
    project('drills', drills),
    project('long', long),
  ],
  testTimeout: 120_000, // for a busy machine
  testSequencer: './test/support/longest-first.js',
  maxWorkers: availableParallelism() + 1, // many suites wait; each has databases, keys, folders and ports of its own
  workerIdleMemoryLimit: '1GB', // also has a single suite run in a worker: in Jest's process, modules outlive a change
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'lcov'],
  collectCoverageFrom: ['{src,playground/src,client/src}/**/*.ts', '!**/*.test.ts'],
};
