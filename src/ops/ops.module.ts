import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HirerAccessModule } from '../hirer-access/hirer-access.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { TokenModule } from '../token/token.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { HirerSearch } from './hirer-search.js';
import { KeyReload } from './key-reload.js';
import { SchemaWatch } from './schema-check/schema-watch.js';
import { SecretRotation } from './secret-rotation.js';

/**
 * Ops: what an operator changes in a running process and no other module owns: rotated secrets, the keys of end users,
 * the log level; the search for hirers; and the watch of the upstream's schema. Public interface: {@link SecretRotation},
 * {@link KeyReload} and {@link HirerSearch}. Its routes are on the ops listener, never on the public port.
 */
@Module({
  imports: [AuthModule, HirerAccessModule, TokenModule, ProxyModule, WebhooksModule],
  providers: [SecretRotation, KeyReload, HirerSearch, SchemaWatch],
  exports: [SecretRotation, KeyReload, HirerSearch],
})
export class OpsModule {}
