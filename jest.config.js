import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

if (Number.parseInt(process.versions.node, 10) < 24) {
  throw new Error(
    `The tests need Node.js 24, and run on ${process.versions.node}: the package "node" has no program (npm ci --ignore-scripts). Run "npm rebuild node".`,
  );
}

/** Halves the time in which threads and processes of the tests start. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compile-cache');

/** In core these run on what is embedded, in servers on servers. */
const ON_SERVERS_TOO = ['**/*.stores.test.ts', '**/*.brokers.test.ts'];

/**
 * What a suite needs decides where it runs, and its name says it. A project whose programs or servers are missing fails
 * and names what to install.
 */
const PROJECTS = {
  /** PostgreSQL, Redis, NATS and RabbitMQ, by the variables `TEST_…_URL`; nginx, systemd, kubectl. */
  servers: ['**/test/servers/*.test.ts', ...ON_SERVERS_TOO],
  /** A Chromium. */
  pages: ['**/*.page.test.ts'],
  /** npm, bundlers and compilers over what is published: packages, image, release. */
  packages: ['**/test/packages/*.test.ts', '**/package*.test.ts'],
  /** Programs of databases and brokers, root, a quiet machine. */
  drills: ['**/test/drills/{brokers,fleet,overload}/*.test.ts'],
  /** Drills that only nights and people run. */
  long: ['**/test/drills/*.drill.ts'],
};

const { servers, pages, packages, drills, long } = PROJECTS;
const project = (displayName, testMatch, runsOnServers = false) => ({
  displayName,
  testMatch,
  globals: { runsOnServers },
  testEnvironment: './test/support/test-environment.js',
  runtime: './test/support/test-runtime.js',
  roots: ['<rootDir>/src', '<rootDir>/playground/src', '<rootDir>/client/test', '<rootDir>/test'],
  transform: { '^.+\\.ts$': '@swc/jest' },
});

export default {
  projects: [
    /** All that needs nothing. */
    project('core', [
      '**/*.test.ts',
      ...Object.values(PROJECTS)
        .flat()
        .filter((pattern) => !ON_SERVERS_TOO.includes(pattern))
        .map((pattern) => `!${pattern}`),
    ]),
    project('servers', servers, true),
    project('pages', pages),
    project('packages', packages),
    project('drills', drills),
    project('long', long, true),
  ],
  testTimeout: 120_000, // for a busy machine
  testSequencer: './test/support/longest-first.js',
  maxWorkers: availableParallelism() + 1, // many suites wait; each has databases, keys, folders and ports of its own
  workerGracefulExitTimeout: 10_000, // a worker of many suites frees its heap for longer than half a second
  workerIdleMemoryLimit: '1GB', // also has a single suite run in a worker: in Jest's process, modules outlive a change
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'lcov'],
  collectCoverageFrom: ['{src,playground/src,client/src}/**/*.ts', '!**/*.test.ts'],
};
