import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { AuthModule } from '../auth/auth.module.js';
import { KeySource } from '../auth/key-source.js';
import { Secrets } from '../config/secrets.js';
import { Health } from '../telemetry/health.js';
import { type Log, LOG } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { DashboardFeed } from './dashboard/dashboard-feed.js';
import { KeyReload } from './key-reload.js';
import { SecretRotation } from './secret-rotation.js';

/**
 * Ops: what the person on call does and sees that belongs to no other module: the dashboard, rotated secrets, the keys of
 * end users, the log level. Its routes are on a listener of their own, never on the public port.
 */
@Module({
  imports: [AuthModule],
  providers: [
    {
      provide: SecretRotation,
      inject: [Secrets, AuditTrail, LOG, Metrics],
      useFactory: (secrets: Secrets, audit: AuditTrail, log: Log, metrics: Metrics) =>
        new SecretRotation(secrets, audit, log, metrics),
    },
    {
      provide: KeyReload,
      inject: [KeySource, AuditTrail, LOG],
      useFactory: (keys: KeySource, audit: AuditTrail, log: Log) => new KeyReload(keys, audit, log),
    },
    {
      provide: DashboardFeed,
      inject: [Metrics, Health],
      useFactory: (metrics: Metrics, health: Health) => new DashboardFeed(metrics, health),
    },
  ],
  exports: [DashboardFeed, KeyReload, SecretRotation],
})
export class OpsModule implements OnApplicationShutdown {
  constructor(@Inject(SecretRotation) private readonly rotation: SecretRotation) {}

  onApplicationShutdown(): void {
    this.rotation.close();
  }
}
