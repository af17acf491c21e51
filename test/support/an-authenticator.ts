import { Authentication } from '../../src/auth/authentication.hook.js';
import { EndUserStrategy } from '../../src/auth/end-user-strategy.js';
import type { KeySource } from '../../src/auth/keys/key-source.js';
import { UserIds } from '../../src/auth/user-ids.js';
import type { Config } from '../../src/config/load-config.js';
import { Metrics } from '../../src/telemetry/metrics.js';

/** The settings of {@link anAuthenticator}; issuer and audience are those of its tokens. */
export const END_USER_SETTINGS = {
  END_USER_ISSUER: ['https://idp.test'],
  END_USER_AUDIENCE: ['partner-bff'],
  END_USER_AUDIENCE_CLAIM: 'aud',
  END_USER_TOKEN_MAX_AGE_SECONDS: 86_400,
  END_USER_CLOCK_SKEW_SECONDS: 30,
  END_USER_REQUIRED_CLAIM: undefined,
  END_USER_COOKIE: undefined,
  END_USER_TOKEN_HEADER: undefined,
  CORS_ORIGINS: [],
  TRUST_PROXY: [],
  MACHINE_SUBJECTS: [],
  USER_ID_KEY: ['a secret of thirty-two bytes or more'],
} satisfies Partial<Config>;

type EndUserSettings = Pick<Config, keyof typeof END_USER_SETTINGS>;

/** An authenticator as the service builds it, over these keys and on this clock. */
export function anAuthenticator(
  keys: KeySource,
  now: () => number,
  overrides: Partial<EndUserSettings> = {},
): Authentication {
  const settings: EndUserSettings = { ...END_USER_SETTINGS, ...overrides };
  const strategy = new EndUserStrategy(settings, now);
  const users = new UserIds(settings);
  return new Authentication(strategy, keys, users, settings, new Metrics(), now, now);
}
