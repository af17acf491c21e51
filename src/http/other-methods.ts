import type { RouteOptions } from 'fastify';
import { BffError } from '../errors/bff-error.js';

/** Methods that a route may have; every other one is unknown to the listener. */
export const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const;

/** Answers 405 with `Allow` to every method of an address but those it has (RFC 9110 section 15.5.6). */
export function refuseOtherMethods(
  url: string,
  methods: readonly string[],
  { errorHandler, config }: Pick<RouteOptions, 'errorHandler' | 'config'> = {},
): RouteOptions {
  const allow = [...methods].sort().join(', ');
  return {
    method: METHODS.filter((method) => !methods.includes(method)),
    url,
    config: { ...config, access: 'open' },
    ...(errorHandler && { errorHandler }),
    // Before the body is read: anybody may send one.
    onRequest: (_request, _reply, done) => done(new BffError('method_not_allowed', { allow })),
    handler: () => undefined, // never reached
  };
}
