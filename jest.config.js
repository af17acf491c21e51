/**
 * Every suite runs here: unit tests beside their files, end-to-end tests under test/. Tests of pages (`.page.test.ts`)
 * need a Chromium, so they run with `TEST_PAGES=1` alone, as `npm run check` does.
 */
export default {
  testEnvironment: './test/support/test-environment.js',
  roots: ['<rootDir>/src', '<rootDir>/playground/src', '<rootDir>/client/test', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: process.env.TEST_PAGES ? [] : ['\\.page\\.test\\.ts$'],
  maxWorkers: '100%', // every suite has databases, keys, folders and ports of its own
  workerIdleMemoryLimit: '1GB', // modules of a finished file stay in a worker's memory until it is replaced
  testTimeout: 30_000, // for a busy machine
  extensionsToTreatAsEsm: ['.ts'],
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'lcov'],
  collectCoverageFrom: ['{src,playground/src,client/src}/**/*.ts', '!**/*.test.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};
