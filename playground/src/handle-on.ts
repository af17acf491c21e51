/**
 * A handle on an object that a reset replaces. Whatever is done with the handle is done with the object that is current
 * then, so that a handle taken before a reset serves after it too.
 */
export function handleOn<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get: (_handle, name): unknown => Reflect.get(current(), name),
    set: (_handle, name, value) => Reflect.set(current(), name, value),
    has: (_handle, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_handle, name) => Reflect.getOwnPropertyDescriptor(current(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  });
}
