import { applyDecorators, Controller } from '@nestjs/common';

const OPS_ROUTE = Symbol('ops route');

/**
 * A controller whose routes are bound to the ops listener, and to no other: `ListenersAdapter` finds its mark on the
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

/** True if a handler belongs to an {@link OpsController}. */
export function isOpsRoute(handler: unknown): boolean {
  return typeof handler === 'function' && Reflect.hasMetadata(OPS_ROUTE, handler);
}
