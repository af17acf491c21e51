import { Module, type DynamicModule } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Config } from './config/load-config.js';
import { HirerAccessModule } from './hirer-access/hirer-access.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { OpsModule } from './ops/ops.module.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { StorageModule } from './storage/storage.module.js';
import { TelemetryModule, type Telemetry } from './telemetry/telemetry.module.js';
import { TokenModule } from './token/token.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The composition root of the public application: every module of the service. */
@Module({})
export class AppModule {
  static with(config: Config, telemetry: Telemetry): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        TelemetryModule.with(telemetry),
        StorageModule.with(config, telemetry.log),
        AuditModule,
        UpstreamModule,
        AuthModule,
        HirerAccessModule,
        TokenModule,
        OperationsModule,
        ProxyModule,
        WebhooksModule.with(config),
        OpsModule,
      ],
    };
  }
}
