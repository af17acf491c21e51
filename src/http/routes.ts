import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { sendProblem } from './problem.filter.js';

/**
 * The public listener, for modules whose routes or hooks are its own rather than Nest's: a controller costs a sixth of
 * a cached token (ADR 0004), and hides the reply that a stream needs.
 *
 * Hooks are added in constructors and routes in `onModuleInit` (ADR 0011). Nest builds every provider before it calls
 * the first `onModuleInit`, so no route is ever registered ahead of the guard. In which order the hooks of different
 * modules run depends on how long their providers take to build.
 */
@Injectable()
export class Routes {
  private readonly ends: ((request: FastifyRequest) => void)[] = [];

  constructor(private readonly host: HttpAdapterHost) {
    this.listener.addHook('onRequest', (request, _reply, done) => {
      request.context.onEnd(() => this.ends.forEach((end) => end(request)));
      done();
    });
  }

  /** Where hooks are added. */
  get listener(): FastifyInstance {
    return this.host.httpAdapter.getInstance<FastifyInstance>();
  }

  /** Calls `end` at the end of every request, including those that the hook of another module refuses. */
  onEnd(end: (request: FastifyRequest) => void): void {
    this.ends.push(end);
  }

  /** Registers a route, whose errors become problem+json unless it says otherwise. Its other methods answer 405. */
  add(route: RouteOptions): void {
    this.listener.route({ errorHandler: sendProblem, ...route });
  }
}
