import { applyDecorators, Controller } from '@nestjs/common';

const OPS_ROUTE = Symbol('ops route');

/**
 * A controller whose routes are bound to the ops listener, and to no other. Nest copies the mark from a method to the
 * handler that it registers, which is where {@link isOpsRoute} finds it.
 * @param path as that of Nest's `Controller`
 */
export function OpsController(path = ''): ClassDecorator {
  return applyDecorators(Controller(path), (type: object) => markMethods(type as { prototype: object }));
}

/** True if a handler belongs to an {@link OpsController}. */
export function isOpsRoute(handler: unknown): boolean {
  return typeof handler === 'function' && Reflect.hasMetadata(OPS_ROUTE, handler);
}

function markMethods({ prototype }: { readonly prototype: object }): void {
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value === 'function') Reflect.defineMetadata(OPS_ROUTE, true, value as object);
  }
}
