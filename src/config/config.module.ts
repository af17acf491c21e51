import { Global, Module, type DynamicModule } from '@nestjs/common';
import { CONFIG, type Config } from './load-config.js';
import { Secrets } from './secrets.js';

/**
 * Configuration: the environment is read once, checked as a whole, and frozen. Public interface: {@link CONFIG} and
 * {@link Secrets}. No other module reads the environment. Only secrets can change later, and only from files.
 */
@Global()
@Module({})
export class ConfigModule {
  static with(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: CONFIG, useValue: config }, Secrets],
      exports: [CONFIG, Secrets],
    };
  }
}
