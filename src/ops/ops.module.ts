import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { KeyReload } from './key-reload.js';
import { SecretRotation } from './secret-rotation.js';

/**
 * Ops: what an operator changes in a running process and no other module owns: rotated secrets, the keys of end users,
 * the log level. Public interface: {@link SecretRotation} and {@link KeyReload}. Its routes are on the ops listener,
 * never on the public port.
 */
@Module({
  imports: [AuthModule],
  providers: [SecretRotation, KeyReload],
  exports: [SecretRotation, KeyReload],
})
export class OpsModule {}
