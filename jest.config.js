import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

/** Halves the time in which threads and processes of the tests start. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compile-cache');

/** Suites with bounds of time or memory that a neighbour on a small machine can push them over. */
export const MEASURED = [
  '**/test/{fleet/drill,fuzz,growth,overload}/*.test.ts',
  '**/test/ops/{metrics,shutdown}.e2e.test.ts',
  '**/test/playground/{endpoint-rules,event-rate,faults}.e2e.test.ts',
  '**/test/proxy/{attachments,budgets,hoarders,hostile-*,large-answers}.e2e.test.ts',
  '**/test/start/{slow-callers,stopping.e2e,unfinished-bodies}.test.ts',
  '**/test/webhooks/{receive,relationships,verification}.e2e.test.ts',
  '**/src/json/parse-exact.test.ts',
  '**/src/operations/{answers/cut-answer-time,attachments/attachment-links,confine/values-at}.test.ts',
];
/** By `TEST_MEASURED`; all suites where it is not set. */
const SUITES = {
  only: MEASURED,
  none: ['**/*.test.ts', ...MEASURED.map((suites) => `!${suites}`)],
};

/** Suites that have no test without a server, which Jest would call empty, by the variables of which one names it. */
const ON_SERVERS = [['/test/webhooks/brokers-with-tls\\.test\\.ts$', ['TEST_NATS_URL', 'TEST_AMQP_URL']]];
const withoutServer = ON_SERVERS.flatMap(([suites, variables]) =>
  variables.some((variable) => process.env[variable]) ? [] : [suites],
);

/**
 * Every suite runs here: unit tests beside their files, end-to-end tests under test/. Tests of pages (`.page.test.ts`)
 * need a Chromium, so they run with `TEST_PAGES=1` alone, as `npm run check` does.
 */
export default {
  testEnvironment: './test/support/test-environment.js',
  runtime: './test/support/test-runtime.js',
  testSequencer: './test/support/longest-first.js',
  roots: ['<rootDir>/src', '<rootDir>/playground/src', '<rootDir>/client/test', '<rootDir>/test'],
  testMatch: SUITES[process.env.TEST_MEASURED] ?? ['**/*.test.ts'],
  testPathIgnorePatterns: [...withoutServer, ...(process.env.TEST_PAGES ? [] : ['\\.page\\.test\\.ts$'])],
  maxWorkers: availableParallelism() + 1, // many suites wait; each has databases, keys, folders and ports of its own
  workerIdleMemoryLimit: '1GB', // also has a single suite run in a worker: in Jest's process, modules outlive a change
  testTimeout: 120_000, // for a busy machine
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'lcov'],
  collectCoverageFrom: ['{src,playground/src,client/src}/**/*.ts', '!**/*.test.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
};
