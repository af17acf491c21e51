import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type {} from './request-end.js';

/**
 * The public listener, for modules whose routes or hooks are its own rather than Nest's: a controller hides the reply
 * that a stream needs.
 *
 * Hooks are added in constructors and routes in `onModuleInit` (ADR 0011). Nest builds every provider before it calls
 * the first `onModuleInit`, so no route is ever registered ahead of the guard. The order of constructors is not fixed:
 * code that must see requests refused by another hook uses `onEnd` of the {@link listener}.
 */
@Injectable()
export class Routes {
  constructor(private readonly host: HttpAdapterHost) {}

  /** Where hooks are added. */
  get listener(): FastifyInstance {
    return this.host.httpAdapter.getInstance<FastifyInstance>();
  }

  /** Registers a route. Its other methods answer 405. */
  add(route: RouteOptions): void {
    this.listener.route(route);
  }
}
