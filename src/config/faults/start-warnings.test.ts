import { KEY } from '../../../test/support/parts.js';
import { loadConfig } from '../load-config.js';
import { startWarnings, warnOfUnknownSettings } from './start-warnings.js';

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

test('an unknown name with a familiar prefix causes a warning with the nearest one', () => {
  expect(
    warnOfUnknownSettings({
      UPSTREAM_TIMEOUT: '5',
      HOME: '/',
      PORT: '1',
      PLAYGROUND_SEED: '1',
      OTEL_BSP_SCHEDULE_DELAY: '1',
    }),
  ).toEqual([expect.stringContaining('did you mean UPSTREAM_TIMEOUT_MS?')]);
});

test.each([
  ['PARTNER_SECRET', 'PARTNER_CLIENT_SECRET'],
  ['END_USER_JWKS', 'END_USER_JWKS_URL'],
  ['ISSUER_URL', 'ISSUER_TOKEN_URL'],
  ['KEEP_ALIVE_FILE', 'KEEP_ALIVE_SECONDS'],
  ['EVENTS_SINK_URL', 'EVENT_SINK_URL'],
  ['UPSTREAM_ULR', 'UPSTREAM_URL'],
  ['PLAYGROUND_PROT', 'PLAYGROUND_PORT'],
])('%s suggests %s', (name, meant) => {
  expect(warnOfUnknownSettings({ [name]: 'x' })).toEqual([
    `${name} is not a setting of this service; did you mean ${meant}?`,
  ]);
});

test('a proxy for other programs is warned of while this service has none', () => {
  const UPSTREAM_URL = 'https://upstream.test';
  const HTTPS_PROXY = 'http://proxy.partner.test:3128';
  expect(warnOfUnknownSettings({ UPSTREAM_URL, HTTPS_PROXY })).toEqual([
    'HTTPS_PROXY is not read by this service; did you mean OUTBOUND_PROXY?',
  ]);
  expect(warnOfUnknownSettings({ UPSTREAM_URL, HTTPS_PROXY, OUTBOUND_PROXY: HTTPS_PROXY })).toEqual([]);
  expect(warnOfUnknownSettings({ HTTPS_PROXY })).toEqual([]);
});

test('a name that is near to none is warned of without another, a mistyped beginning too', () => {
  const names = [
    'REDIS_CLUSTER_NODES',
    'END_USER_FORMER_ISSUER',
    'EVENT_SINK_TOKEN',
    'BASH_FUNC_which%%(',
    'UPSTRAEM_URL',
    'OTEL_SDK_DISABLED',
    'HTTP_PROXY',
  ];
  expect(warnOfUnknownSettings(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([
    'REDIS_CLUSTER_NODES is not a setting of this service',
    'END_USER_FORMER_ISSUER is not a setting of this service',
    'EVENT_SINK_TOKEN is not a setting of this service',
    'UPSTRAEM_URL is not a setting of this service; did you mean UPSTREAM_URL?',
  ]);
});
