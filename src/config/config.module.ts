import { Global, Module, type DynamicModule } from '@nestjs/common';
import { CONFIG, type Config } from './load-config.js';
import { Secrets } from './secrets.js';

/**
 * Configuration: the environment is read once, checked whole, and frozen. Every other module is handed the settings it
 * needs; none reads the environment. Secrets alone can change later, and only from files.
 */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: Secrets, useFactory: () => new Secrets(config) },
      ],
      exports: [CONFIG, Secrets],
    };
  }
}
