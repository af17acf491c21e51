import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { isOpsRoute } from '../ops-controller.js';

/**
 * Nest on two listeners: the routes of each `OpsController` are registered on the ops listener, all others on the
 * public one. The public listener never knows an ops route, so no request to it can reach one. Nest's own middleware
 * layer is left out: no module uses it, and each request would pay.
 */
export class ListenersAdapter extends FastifyAdapter {
  private readonly opsAdapter: FastifyAdapter;

  constructor(
    publicListener: FastifyInstance,
    /** Where hooks of the ops listener are added, before its routes are. */
    readonly opsListener: FastifyInstance,
  ) {
    super(Object.assign(publicListener, { skipMiddie: true }));
    this.opsAdapter = new FastifyAdapter(Object.assign(opsListener, { skipMiddie: true }));
  }

  override get(...route: unknown[]): FastifyInstance {
    return this.has(route) ? this.opsAdapter.get(...route) : super.get(...route);
  }

  override post(...route: unknown[]): FastifyInstance {
    return this.has(route) ? this.opsAdapter.post(...route) : super.post(...route);
  }

  override put(...route: unknown[]): FastifyInstance {
    return this.has(route) ? this.opsAdapter.put(...route) : super.put(...route);
  }

  override delete(...route: unknown[]): FastifyInstance {
    return this.has(route) ? this.opsAdapter.delete(...route) : super.delete(...route);
  }

  /** True if the ops listener has this route, given as Nest gives it: path and handler. */
  private has(route: readonly unknown[]): boolean {
    return isOpsRoute(route.at(-1));
  }
}
