import { applyDecorators, Controller } from '@nestjs/common';

const OPS_ROUTE = Symbol('ops route');

/** A controller whose routes are on the ops listener alone: `ListenersAdapter` finds the mark on their handlers. */
export function OpsController(path = ''): ClassDecorator {
  return applyDecorators(Controller(path), ({ prototype }: { readonly prototype: object }) => {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value === 'function') Reflect.defineMetadata(OPS_ROUTE, true, value as object);
    }
  });
}

export function isOpsRoute(handler: unknown): boolean {
  return typeof handler === 'function' && Reflect.hasMetadata(OPS_ROUTE, handler);
}
