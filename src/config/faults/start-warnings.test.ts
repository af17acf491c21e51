import { KEY } from '../../../test/support/parts.js';
import { loadConfig } from '../load-config.js';
import { startWarnings } from './start-warnings.js';

test('a token header that no proxy may set is a warning at startup', () => {
  const warningsOf = (TRUST_PROXY: string): string[] => {
    const environment = { END_USER_TOKEN_HEADER: 'X-Forwarded-Access-Token', TRUST_PROXY };
    return startWarnings(loadConfig(environment), environment);
  };
  expect(warningsOf('')).toEqual([expect.stringContaining('END_USER_TOKEN_HEADER has no effect')]);
  expect(warningsOf('10.0.0.1')).toEqual([]);
});

test('a rotated pseudonym key is a warning at startup: users get new pseudonyms', () => {
  const warningsOf = (USER_ID_KEY: string): string[] => {
    const environment = { USER_ID_KEY };
    return startWarnings(loadConfig(environment), environment);
  };
  expect(warningsOf(`${KEY},${KEY.toLowerCase()}`)).toEqual([expect.stringMatching(/USER_ID_KEY.*previous/)]);
  expect(warningsOf(KEY)).toEqual([]);
});
