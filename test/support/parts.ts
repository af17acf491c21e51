import { Upstream } from '../../src/upstream/upstream.js';
import { KeptPartnerTokens } from '../../src/upstream/kept-partner-tokens.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { openLog } from '../../src/telemetry/log.js';
import type { GraphqlResult, Outcome } from '../../src/operations/transport/graphql-result.js';
import { confineInSteps } from '../../src/operations/answers/confine-answer.js';
import { BffError } from '../../src/errors/bff-error.js';
import { allAtOnce } from '../../src/json/parse-json.js';
import { AttachmentLinks } from '../../src/operations/attachment-links.js';
import { compileOperation } from '../../src/operations/compile/compile-operation.js';
import { Secrets } from '../../src/config/secrets.js';
import { Authentication } from '../../src/auth/authentication.hook.js';
import { EndUserStrategy } from '../../src/auth/end-user-strategy.js';
import type { KeySource } from '../../src/auth/keys/key-source.js';
import { StaticKeys, type EndUserKeys } from '../../src/auth/keys/static-keys.js';
import { UserIds } from '../../src/auth/user-ids.js';
import type { Algorithm } from '../../src/config/values/public-keys.js';
import { type Config, ConfigError, loadConfig, type Environment } from '../../src/config/load-config.js';
import type { EndUser } from '../../src/http/end-user.js';
import type { HirerAccess, Membership } from '../../src/hirer-access/hirer-access.port.js';
import { RoleScopes } from '../../src/hirer-access/role-scopes.js';
import type { ClientSettings } from '../../src/http/outgoing/http-client.js';

/** The settings of {@link anAuthenticator}; issuer and audience are those of its tokens. */
export const END_USER_SETTINGS = {
  END_USER_ISSUER: ['https://idp.test'],
  END_USER_AUDIENCE: ['partner-bff'],
  END_USER_AUDIENCE_CLAIM: 'aud',
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
  const strategy = new EndUserStrategy(keys, new UserIds(settings), settings, now);
  return new Authentication(strategy, keys, settings, now);
}

/** The keys of these settings, which never change. */
export function staticKeys(keys: Partial<EndUserKeys>, algorithms?: readonly Algorithm[]): StaticKeys {
  return new StaticKeys({ current: { END_USER_PUBLIC_KEY: [], END_USER_SECRET: [], ...keys } }, algorithms);
}

/** An end user for tests of what comes after authentication. */
export function anEndUser(
  subject: string,
  claims: Record<string, unknown> = {},
  issuer = 'https://idp.test',
): EndUser {
  return { issuer, subject, userId: `user-id-of-${subject}`, claims, expiresAt: 4_000_000_000_000 };
}

/** The membership of a user at a hirer as the gate looks it up; a promise where it is not in memory. */
export function membershipAt(
  access: HirerAccess,
  user: EndUser,
  wanted: string,
): Membership | undefined | Promise<Membership | undefined> {
  const list = access.list(user);
  return list instanceof Promise ? list.then((late) => late.get(wanted)) : list.get(wanted);
}

/** One scope, which every role opens. */
export const allScopes = new RoleScopes({ ALLOWED_SCOPES: ['query:a'], ROLE_SCOPES: undefined });

/** The settings of a client that a test opens by itself. */
export const CLIENT_SETTINGS: ClientSettings = {
  USER_AGENT: 'partner-bff-test',
  OUTBOUND_PROXY: undefined,
  OUTBOUND_PROXY_EXCEPT: [],
};

/** Issuer and upstream of the service, at one address. */
export function anUpstream(url: URL): Upstream {
  const config = {
    ...CLIENT_SETTINGS,
    UPSTREAM_URL: url,
    UPSTREAM_TIMEOUT_MS: 5_000,
    ISSUER_TOKEN_URL: url,
    ISSUER_TIMEOUT_MS: 5_000,
    PARTNER_CLIENT_ID: 'client',
    PARTNER_AUDIENCE: undefined,
    PARTNER_TOKEN_REQUEST: 'json',
  } as const;
  const log = openLog({ LOG_LEVEL: 'silent' });
  return new Upstream(config, new Metrics(), new Conditions(), log, new KeptPartnerTokens());
}

/** A key with enough entropy for any setting. */
export const KEY = 'q7Jx2mVb9Lz4Rk8Tn1Wc6Yd3Hf5Gs0Pa';

/** The fewest settings of a real deployment. */
export const REAL: Environment = {
  UPSTREAM_URL: 'https://upstream.test',
  ISSUER_TOKEN_URL: 'https://issuer.test/oauth/token',
  PARTNER_CLIENT_ID: 'client',
  PARTNER_CLIENT_SECRET: 'a-client-secret',
  END_USER_SECRET: KEY,
  END_USER_ISSUER: 'https://idp.test',
  END_USER_AUDIENCE: 'bff',
  USER_ID_KEY: KEY,
  SEALING_KEY: KEY,
};

/** What is wrong with settings. */
export function faultsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** The fault by which something is refused. */
export function refusalOf(work: () => unknown): BffError {
  try {
    work();
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The secrets of a service under test, with the values given. */
export function someSecrets(values: Partial<Config> = {}): Secrets {
  return new Secrets({
    SEALING_KEY: ['eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs'],
    secretFiles: {},
    ...values,
  } as Config);
}

/** Sealed links to files of an upstream, good for a quarter of an hour. */
export function linksOf(origin: string, now?: () => number): AttachmentLinks {
  const config = {
    UPSTREAM_URL: new URL(origin),
    ATTACHMENT_PATH_PATTERN: /\/attachments\//,
    ATTACHMENT_TTL_SECONDS: 900,
  };
  return new AttachmentLinks(config, someSecrets(), now);
}

/** The outcome of confining an answer. */
export function confineAnswer(...given: Parameters<typeof confineInSteps>): Outcome {
  try {
    return allAtOnce(confineInSteps(...given));
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}

/** What the hirer `own` gets of the upstream's answer to an operation; links of files are sealed by name. */
export function shape(text: string, answer: unknown): Outcome {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const result: GraphqlResult = { status: 200, body, errors: undefined };
  return confineAnswer(compileOperation(text, 'test'), result, {
    hirerId: 'own',
    mapText: (url) => `sealed ${url}`,
  });
}
