import 'reflect-metadata';
import { Readable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AuditTrail } from '../../audit/audit-trail.js';
import { loadConfig, type Environment } from '../../config/load-config.js';
import { acceptCsv, createListener } from '../../http/incoming/listener.js';
import type { RequestObserver } from '../../http/request-end.js';
import { ProblemFilter } from '../../http/incoming/problem.filter.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Health } from '../../telemetry/health.js';
import { openLog } from '../../telemetry/log.js';
import { Metrics } from '../../telemetry/metrics.js';
import type { CommandFault } from '../command.js';
import { AtRestModule } from './at-rest.module.js';
import { StoreRoutes, type RouteRequest } from './store-routes.js';

const UNOBSERVED: RequestObserver = {
  observe: () => undefined,
  observeFault: () => undefined,
  refuseConnection: () => undefined,
};

/** The routes of a store that no service answers for, in this process: no port is opened. */
export class StoreAtRest extends StoreRoutes {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly listener: FastifyInstance,
  ) {
    super();
  }

  /**
   * Opens the store that the settings of the service name, and brings its schema up to date as a start does.
   * @param absence why there is none in playground mode, whose store a running playground alone uses
   * @throws ConfigError, UnavailableError as a start does
   */
  static async open(environment: Environment, absence: CommandFault): Promise<StoreAtRest> {
    const config = loadConfig(environment);
    if (config.playground) throw absence;
    const log = openLog(
      { ...config, LOG_LEVEL: 'warn' },
      { write: (line) => void process.stderr.write(line) },
    );
    const telemetry = { log, metrics: new Metrics(), health: new Health(), conditions: new Conditions() };
    const listener = createListener(config, UNOBSERVED);
    acceptCsv(listener);
    listener.addHook('onRequest', (request, _reply, done) => {
      request.raw.complete = true; // it comes whole, and there is no connection to free
      done();
    });
    const adapter = new FastifyAdapter(Object.assign(listener, { skipMiddie: true }));
    const app = await NestFactory.create<NestFastifyApplication>(
      AtRestModule.with(config, telemetry),
      adapter,
      { logger: false, bodyParser: false, abortOnError: false },
    );
    await app.useGlobalFilters(new ProblemFilter()).init();
    return new StoreAtRest(app, listener);
  }

  /** Resolves once what was done is on disk, its audit records included. */
  override async close(): Promise<void> {
    await this.app.get(AuditTrail).close();
    await this.app.close();
  }

  protected override async send(url: string, { method, headers, body }: RouteRequest): Promise<Response> {
    const answer = await this.listener.inject({
      method,
      url,
      headers: { ...headers },
      remoteAddress: 'process',
      payloadAsStream: true,
      ...(body !== undefined && { payload: body }),
    });
    const isEmpty = answer.statusCode === 204;
    return new Response(isEmpty ? null : (Readable.toWeb(answer.stream()) as ReadableStream), {
      status: answer.statusCode,
    });
  }
}
