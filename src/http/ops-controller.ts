import { applyDecorators, Controller } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

const OPS_ROUTE = Symbol('ops route');

/**
 * A controller whose routes are bound to the ops listener, and to no other: {@link ListenersAdapter} finds its mark on the
 * handler that Nest makes of a method.
 * @param path as that of Nest's `Controller`
 */
export function OpsController(path = ''): ClassDecorator {
  return applyDecorators(Controller(path), ({ prototype }: { readonly prototype: object }) => {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === 'function') Reflect.defineMetadata(OPS_ROUTE, true, value as object);
    }
  });
}

/**
 * Nest on two listeners: the routes of each {@link OpsController} are registered on the ops listener, all others on the
 * public one. The public listener never knows an ops route, so no request to it can reach one. Nest's own middleware
 * layer is left out: no module uses it, and each request would pay.
 */
export class ListenersAdapter extends FastifyAdapter {
  constructor(
    publicListener: FastifyInstance,
    /** Where hooks of the ops listener are added, before its routes are. */
    readonly opsListener: FastifyInstance,
  ) {
    super(Object.assign(publicListener, { skipMiddie: true }));
    const ops = new FastifyAdapter(Object.assign(opsListener, { skipMiddie: true }));
    for (const verb of ['get', 'post', 'put', 'delete'] as const) {
      const addPublic = this[verb].bind(this);
      this[verb] = (...route: unknown[]) => (isOpsRoute(route) ? ops[verb](...route) : addPublic(...route));
    }
  }
}

/** @param route as Nest gives it: path and handler */
function isOpsRoute(route: readonly unknown[]): boolean {
  const handler = route.at(-1);
  return typeof handler === 'function' && Reflect.hasMetadata(OPS_ROUTE, handler);
}
