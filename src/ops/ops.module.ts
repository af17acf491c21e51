import { Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { Secrets } from '../config/secrets.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import type { ListenersAdapter } from '../http/incoming/listeners-adapter.js';
import { OperationsModule } from '../operations/operations.module.js';
import { TokenModule } from '../token/token.module.js';
import { AdministrationController } from './administration.ops.controller.js';
import { BackupController } from './backup.ops.controller.js';
import { DashboardController } from './dashboard/dashboard.ops.controller.js';
import { FigureRing } from './dashboard/dashboard-sampler.js';
import { HealthController } from './health.ops.controller.js';
import { HirerSearch } from './hirer-search.js';
import { requireOpsToken } from './ops-token.js';
import { SchemaWatch } from './schema-check/schema-watch.js';
import { SearchController } from './search.ops.controller.js';
import { SecretRotation } from './secret-rotation.js';
import { UserData } from './users/user-data.js';
import { UserTraces } from './users/user-traces.js';
import { UsersController } from './users/users.ops.controller.js';

/**
 * Ops: what an operator changes in a running process and no other module owns: rotated secrets, the log level; the
 * search for hirers; what is kept of one user; the watch of the upstream's schema; and the dashboard, which knows other
 * modules only by their metrics, the conditions, and the ops routes. Public interface: the check of the ops token, which
 * every route of the ops listener passes, and {@link SecretRotation}.
 */
@Module({
  imports: [AuthModule, HirerAccessModule, TokenModule, OperationsModule],
  controllers: [
    HealthController,
    AdministrationController,
    SearchController,
    UsersController,
    BackupController,
    DashboardController,
  ],
  providers: [SecretRotation, HirerSearch, SchemaWatch, UserTraces, UserData, FigureRing],
  exports: [SecretRotation],
})
export class OpsModule {
  constructor(
    { httpAdapter }: HttpAdapterHost<ListenersAdapter>,
    secrets: Secrets,
    @Inject(CONFIG) { playground }: Config,
  ) {
    requireOpsToken(httpAdapter.opsListener, () => secrets.current.OPS_TOKEN, !playground);
  }
}
