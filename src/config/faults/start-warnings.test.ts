import { loadConfig } from '../load-config.js';
import { startWarnings } from './start-warnings.js';

test('a header for tokens that no proxy may set is told at the start', () => {
  const warningsOf = (TRUST_PROXY: string): string[] => {
    const environment = { END_USER_TOKEN_HEADER: 'X-Forwarded-Access-Token', TRUST_PROXY };
    return startWarnings(loadConfig(environment), environment);
  };
  expect(warningsOf('')).toEqual([expect.stringContaining('END_USER_TOKEN_HEADER has no effect')]);
  expect(warningsOf('10.0.0.1')).toEqual([]);
});
