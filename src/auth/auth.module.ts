import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import type { ListenersAdapter } from '../http/incoming/listeners-adapter.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Authentication } from './authentication.hook.js';
import { EndUserStrategy } from './end-user-strategy.js';
import { discoverKeySet, fetchKeySet } from './keys/discovery.js';
import { IssuerKeys, JwksKeys } from './keys/jwks-keys.js';
import { KeySource } from './keys/key-source.js';
import { StaticKeys } from './keys/static-keys.js';
import { UserIds } from './user-ids.js';

/**
 * Auth: who the end user behind a request is, and nothing about what the user may do. Public interface: the guard of
 * the public listener ({@link Authentication}), closed by default; {@link KeySource} and {@link UserIds}. A token
 * chooses neither algorithm nor key, and the reason for a refusal appears only in log and audit trail.
 */
@Module({
  providers: [
    {
      provide: KeySource,
      inject: [CONFIG, Secrets, LOG, Conditions, Health],
      useFactory: openKeySource,
    },
    UserIds,
    EndUserStrategy,
    Authentication,
  ],
  exports: [KeySource, UserIds],
})
export class AuthModule {
  constructor(authentication: Authentication, { httpAdapter }: HttpAdapterHost<ListenersAdapter>) {
    authentication.guard(httpAdapter.publicListener);
  }
}

/**
 * The key source that the settings select: without any of theirs, discovery at each issuer. A JWK set is fetched before
 * this resolves; if that fails, the service starts anyway, and keeps trying.
 */
async function openKeySource(
  config: Config,
  secrets: Secrets,
  log: Log,
  conditions: Conditions,
  health: Health,
): Promise<KeySource> {
  const { END_USER_ALGORITHMS: algorithms, END_USER_JWKS_URL: url, END_USER_ISSUER: issuers } = config;
  if (config.END_USER_SECRET.length + config.END_USER_PUBLIC_KEY.length > 0) {
    return new StaticKeys(secrets, algorithms);
  }
  health.register('end-user-keys', () => conditions.checkOf('identity-provider-failing'));
  const open = async (from: URL | string): Promise<JwksKeys> => {
    const fetchSet = (): Promise<unknown> =>
      from instanceof URL ? fetchKeySet(from, config) : discoverKeySet(from, config);
    const calls = conditions.calls('identity-provider-failing', from instanceof URL ? from.host : from);
    const keys = new JwksKeys(fetchSet, algorithms, log, undefined, calls);
    await keys.start();
    return keys;
  };
  if (url) return open(url);
  return new IssuerKeys(
    new Map(await Promise.all(issuers.map(async (one) => [one, await open(one)] as const))),
  );
}
