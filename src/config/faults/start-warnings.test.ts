import { REAL } from '../../../test/support/real-settings.js';
import { loadConfig, type Environment } from '../load-config.js';
import { startWarnings } from './start-warnings.js';

const END_USER_ISSUER = 'https://now.test,https://before.test,https://other.test';
const SEVERAL = { ...REAL, END_USER_SECRET: undefined, END_USER_ISSUER };
const warningsOf = (environment: Environment): string[] =>
  startWarnings(loadConfig({ ...SEVERAL, ...environment }), environment);

test.each([
  ['https://before.test', 'https://now.test and https://before.test'],
  ['https://other.test#https://before.test', 'https://other.test and https://before.test'],
])('two issuers whose users are the same by %s are named at the start', (former, both) => {
  expect(warningsOf({ END_USER_FORMER_ISSUER: former })).toEqual([expect.stringContaining(both)]);
});

test('an issuer that has gone is no reason for a warning', () => {
  expect(warningsOf({ END_USER_FORMER_ISSUER: 'https://gone.test' })).toEqual([]);
});
