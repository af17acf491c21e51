import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type {} from './request-end.js';

/**
 * The public listener, for hooks, and for routes that are no controllers: those hide the reply that a stream needs.
 *
 * Hooks are added in constructors and routes in `onModuleInit` (ADR 0011), so that no route is ever registered ahead of
 * the guard. The order of constructors is not fixed: code that must see requests refused by another hook uses `onEnd`.
 */
@Injectable()
export class Routes {
  constructor(private readonly host: HttpAdapterHost) {}

  get listener(): FastifyInstance {
    return this.host.httpAdapter.getInstance<FastifyInstance>();
  }

  /** Registers a route. Its other methods answer 405. */
  add(route: RouteOptions): void {
    this.listener.route(route);
  }
}
