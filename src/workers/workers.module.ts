import { Module, type DynamicModule } from '@nestjs/common';
import { Workers } from './workers.js';

/**
 * Workers: the processes of one start. Public interface: {@link Workers}, through which they ask each other. What they
 * share otherwise is in the database and in Redis, as with replicas.
 */
@Module({})
export class WorkersModule {
  static with(workers: Workers): DynamicModule {
    return {
      global: true,
      module: WorkersModule,
      providers: [{ provide: Workers, useValue: workers }],
      exports: [Workers],
    };
  }
}
