import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Config } from './load-config.js';

/** Injection token of the validated settings. */
export const CONFIG = Symbol('CONFIG');

/**
 * Configuration: the environment is read once, checked whole, and frozen. Every other room is handed the settings it
 * needs; none reads the environment.
 */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: CONFIG, useValue: config }], exports: [CONFIG] };
  }
}
