import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify';
import { BffError } from '../../errors/bff-error.js';

/** The routes of one address. */
interface Address {
  readonly methods: ReadonlySet<string>;
  readonly config: FastifyContextConfig;
}

/** Answers 405 with `Allow` where an address has other methods (RFC 9110 section 15.5.6), in the form of its own routes. */
export function refuseOtherMethods(listener: FastifyInstance): void {
  const addresses = new Map<string, Address>();
  listener.addHook('onRoute', ({ url, method, config = {} }) => {
    const known = addresses.get(url);
    const methods = [method, ...(known?.methods ?? [])].flat();
    addresses.set(url, { config, ...known, methods: new Set(methods) });
  });
  // a plugin is loaded when all routes are registered
  listener.register((all, _options, done) => {
    for (const [url, address] of [...addresses]) all.route(refusal(url, address, listener.supportedMethods));
    done();
  });
}

function refusal(
  url: string,
  { methods, config: { audit, sendError } }: Address,
  all: readonly string[],
): RouteOptions {
  const allow = [...methods].sort().join(', ');
  const detail = `This address accepts ${allow} only.`; // pages of other origins cannot read Allow
  return {
    method: all.filter((method) => !methods.has(method)),
    url,
    // nothing else holds for them: what opens a route to some does not open its other methods
    config: { access: 'open', ...(audit && { audit }), ...(sendError && { sendError }) },
    // before the body is read, since the caller is not authenticated
    onRequest: (_request, _reply, done) => done(new BffError('method_not_allowed', { allow, detail })),
    handler: () => undefined, // never reached
  };
}
