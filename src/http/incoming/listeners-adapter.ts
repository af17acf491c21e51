import { applyDecorators, Controller } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from './problem.filter.js';

const OPS_ROUTE = Symbol('ops route');

/** A controller whose routes are on the ops listener alone: {@link ListenersAdapter} finds the mark on their handlers. */
export function OpsController(path = ''): ClassDecorator {
  return applyDecorators(Controller(path), ({ prototype }: { readonly prototype: object }) => {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === 'function') Reflect.defineMetadata(OPS_ROUTE, true, value as object);
    }
  });
}

function isOpsRoute(handler: unknown): boolean {
  return typeof handler === 'function' && Reflect.hasMetadata(OPS_ROUTE, handler);
}

/**
 * Nest on two listeners: routes of an `OpsController` are on the ops listener, all others on the public one, which
 * knows no ops route that a request could reach. Nest's middleware layer is left out: no module uses it, and each
 * request would pay.
 *
 * Modules inject it by `HttpAdapterHost`; ADR 0011 says where they add hooks and routes.
 */
export class ListenersAdapter extends FastifyAdapter {
  constructor(
    readonly publicListener: FastifyInstance,
    readonly opsListener: FastifyInstance,
  ) {
    super(Object.assign(publicListener, { skipMiddie: true }));
    const ops = new FastifyAdapter(Object.assign(opsListener, { skipMiddie: true }));
    opsListener.setErrorHandler(sendProblem); // as Nest does for the public listener, the one that it knows
    for (const verb of ['get', 'post', 'put', 'delete'] as const) {
      const addPublic = this[verb].bind(this);
      this[verb] = (...route: unknown[]) => {
        const handler = route.at(-1); // after the path
        return isOpsRoute(handler) ? ops[verb](...route) : addPublic(...route);
      };
    }
  }
}
