import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify';
import { BffError } from '../../errors/bff-error.js';

/** The methods of RFC 9110 and RFC 5789 but CONNECT; the listener knows no others. */
export const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'] as const;

/**
 * Members of a route's config that hold for its 405 answers too. No other does: what opens a route to some does not open
 * its other methods.
 */
const SHARED: readonly (keyof FastifyContextConfig)[] = ['audit', 'sendError'];

/** The options that the routes of one address share with its 405 answers. */
interface Address {
  readonly methods: ReadonlySet<string>;
  readonly config: RouteOptions['config'] | undefined;
}

/**
 * Answers 405 with `Allow` where an address exists but not for the method (RFC 9110 section 15.5.6), in the form of the
 * address's own routes.
 */
export class OtherMethods {
  private readonly addresses = new Map<string, Address>();

  /** Records the routes that are registered from now on. */
  constructor(private readonly listener: FastifyInstance) {
    listener.addHook('onRoute', ({ url, method, config }) => {
      const known = this.addresses.get(url);
      const methods = [method, ...(known?.methods ?? [])].flat();
      this.addresses.set(url, { config, ...known, methods: new Set(methods) });
    });
  }

  /** Adds the 405 routes; to be called when all other routes are registered. */
  refuse(): void {
    for (const [url, address] of [...this.addresses]) this.listener.route(this.refusal(url, address));
  }

  private refusal(url: string, { methods, config = {} }: Address): RouteOptions {
    const allow = [...methods].sort().join(', ');
    const detail = `This address accepts ${allow} only.`; // pages of other origins cannot read Allow
    const kept = Object.entries(config).filter(([name]) => (SHARED as readonly string[]).includes(name));
    return {
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      config: { ...Object.fromEntries(kept), access: 'open' },
      // before the body is read, since the caller is not authenticated
      onRequest: (_request, _reply, done) => done(new BffError('method_not_allowed', { allow, detail })),
      handler: () => undefined, // never reached
    };
  }
}
