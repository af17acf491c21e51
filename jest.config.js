import { resolve } from 'node:path';

/** Halves the time in which threads and processes of the tests start. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compile-cache');

/**
 * Every suite runs here: unit tests beside their files, end-to-end tests under test/. Tests of pages (`.page.test.ts`)
 * need a Chromium, so they run with `TEST_PAGES=1` alone, as `npm run check` does.
 */
export default {
  testEnvironment: './test/support/test-environment.js',
  runtime: './test/support/test-runtime.js',
  roots: ['<rootDir>/src', '<rootDir>/playground/src', '<rootDir>/client/test', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: process.env.TEST_PAGES ? [] : ['\\.page\\.test\\.ts$'],
  maxWorkers: '100%', // every suite has databases, keys, folders and ports of its own
  workerIdleMemoryLimit: '1GB', // also has a single suite run in a worker: in Jest's process, modules outlive a change
  testTimeout: 30_000, // for a busy machine
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'lcov'],
  collectCoverageFrom: ['{src,playground/src,client/src}/**/*.ts', '!**/*.test.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
};
