import { Module } from '@nestjs/common';
import { CONFIG } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { DependencyClients } from '../http/outgoing/dependency-client.js';
import { Routes } from '../http/routes.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Health } from '../telemetry/health.js';
import { LOG } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { Authentication } from './authentication.hook.js';
import { EndUserStrategy } from './end-user-strategy.js';
import { KeySource } from './keys/key-source.js';
import { openKeySource } from './keys/open-key-source.js';
import { UserIds } from './user-ids.js';

/**
 * Auth: who the end user behind a request is, and nothing about what the user may do. Its public interface is the guard
 * of the public listener ({@link Authentication}), closed by default: a route that does not declare its access cannot be
 * registered; for other modules it is {@link KeySource} and {@link UserIds}. Issuer and subject of a verified token are
 * the identity; only its pseudonym leaves the service. A token chooses neither algorithm nor key, and the reason for a
 * refusal appears only in log and audit trail.
 */
@Module({
  providers: [
    {
      provide: KeySource,
      inject: [CONFIG, Secrets, DependencyClients, LOG, Routes, Conditions],
      useFactory: openKeySource,
    },
    UserIds,
    EndUserStrategy,
    Authentication,
  ],
  exports: [KeySource, UserIds],
})
export class AuthModule {
  constructor(
    keys: KeySource,
    authentication: Authentication,
    routes: Routes,
    health: Health,
    metrics: Metrics,
  ) {
    authentication.guard(routes.listener);
    health.register('end-user-keys', () => {
      const { state, reason } = keys.check();
      return state === 'up' ? { state } : { state: 'degraded', ...(reason !== undefined && { reason }) };
    });
    metrics.gauge('bff_jwks_age_seconds', 'Age of the JWK set of end-user tokens.', [], (gauge) => {
      if (keys.ageMs !== undefined) gauge.set(keys.ageMs / 1000);
    });
  }
}
