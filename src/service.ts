import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { Config } from './config/load-config.js';
import { ProblemFilter } from './errors/problem.filter.js';
import { allowOrigins, collectRoutes, createListener, observeRequests, refuseOtherMethods } from './listener.js';
import { OpsAppModule } from './ops-app.module.js';
import { AuditTrail } from './ops/audit-trail.js';
import { Health } from './ops/health.js';
import type { Log } from './ops/log.js';
import { Metrics } from './ops/metrics.js';

/** The running service. */
export interface Service {
  /** Origin of the public listener. */
  readonly publicUrl: string;
  /** Origin of the ops listener. */
  readonly opsUrl: string;
  /** Stops taking requests, lets those under way finish, writes what is pending, and closes every connection. */
  close(): Promise<void>;
}
