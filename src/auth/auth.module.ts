import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { Health } from '../telemetry/health.js';
import { Metrics } from '../telemetry/metrics.js';
import { LOG } from '../telemetry/log.js';
import { Authenticator } from './authenticator.js';
import { KeySource } from './key-source.js';
import { openKeySource } from './open-key-source.js';
import { Routes } from '../http/routes.js';
import { guardRoutes } from './route-access.js';
import { UserIds } from './user-ids.js';

/**
 * Auth: who the end user behind a request is, and nothing about what the user may do. Its public interface is the guard of the
 * public listener (`guardRoutes`), shut by default: a route that does not declare its access cannot be registered.
 * Issuer and subject of a verified token are the identity; all the outside learns of it is the pseudonym. A token
 * chooses neither algorithm nor key, and why one was refused stands in the log alone.
 */
@Module({
  providers: [
    {
      provide: KeySource,
      inject: [CONFIG, Secrets, LOG],
      useFactory: openKeySource,
    },
    {
      provide: UserIds,
      inject: [CONFIG],
      useFactory: ({ USER_ID_KEY: [newest = ''] }: Config) => new UserIds(newest),
    },
    { provide: Authenticator, inject: [CONFIG, KeySource, UserIds], useFactory: createAuthenticator },
  ],
  exports: [Authenticator, KeySource, UserIds],
})
export class AuthModule implements OnApplicationShutdown {
  constructor(
    @Inject(KeySource) private readonly keys: KeySource,
    @Inject(Health) health: Health,
    @Inject(Metrics) metrics: Metrics,
    @Inject(Authenticator) authenticator: Authenticator,
    @Inject(Routes) routes: Routes,
  ) {
    guardRoutes(routes.listener, authenticator);
    metrics.cache('end_user_tokens', authenticator);
    health.register('end-user-keys', () => keys.condition());
    metrics.gauge(
      'bff_jwks_age_seconds',
      'Age of the JWK set that verifies end-user tokens.',
      [],
      (gauge) => {
        if (keys.currentAt !== undefined) gauge.set((Date.now() - keys.currentAt) / 1000);
      },
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.keys.close();
  }
}

function createAuthenticator(config: Config, keys: KeySource, userIds: UserIds): Authenticator {
  return new Authenticator(keys, userIds, {
    issuer: config.END_USER_ISSUER,
    audience: config.END_USER_AUDIENCE,
    ageSecondsMax: config.END_USER_TOKEN_MAX_AGE_SECONDS,
    cookie: config.END_USER_COOKIE,
    origins: config.CORS_ORIGINS,
  });
}
