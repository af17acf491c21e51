import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { namesLoopback } from '../http/incoming/listener.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no ops token: the health routes, and files that hold no data. */
    open?: boolean;
    /** Without the token, the route answers 401 with a page that asks for it. */
    signIn?: boolean;
  }
  interface FastifyRequest {
    /** False when a route with `signIn` was requested without the token. */
    signedIn: boolean;
  }
}

const OTHER_SITE = 'The ops listener refuses requests from pages of other sites.';
const NO_TOKEN = 'Send the ops token as "Authorization: Bearer <token>".';

/**
 * Requires `OPS_TOKEN`, if it is set, on every route of the ops listener that does not declare itself open. Pages of
 * other sites are always refused: a browser on this machine can reach the listener too.
 * @param checksHosts whether names of other hosts are refused without a token, unless the listener does it itself
 */
export function requireOpsToken(
  listener: FastifyInstance,
  currentToken: () => string | undefined,
  checksHosts: boolean,
): void {
  listener.decorateRequest('signedIn', true);
  listener.addHook('onRequest', (request, reply, done) => {
    const token = currentToken();
    const { open, signIn } = request.routeOptions.config;
    if (isFromElsewhere(request, checksHosts && token === undefined)) {
      return done(new BffError('csrf_failed', { detail: OTHER_SITE }));
    }
    if (open === true || token === undefined || holdsToken(request, token)) return done();
    if (signIn !== true) return done(new BffError('unauthenticated', { detail: NO_TOKEN }));
    request.signedIn = false;
    reply.header('www-authenticate', 'Bearer');
    done();
  });
}

/** What a browser sends from its address bar and from our own pages (Fetch Metadata, `Sec-Fetch-Site`). */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none']);

/**
 * True if a page of another origin asks; or, without a token, a host name that may have been rebound to this machine.
 * An image or a script has no `Origin`, but says where it is.
 */
function isFromElsewhere(request: FastifyRequest, unprotected: boolean): boolean {
  const { headers } = request;
  const { host = '', origin } = headers;
  if (!OWN_SITES.has(headers['sec-fetch-site']) && !isFollowedLink(request)) return true;
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host)) return true;
  return unprotected && !namesLoopback(host);
}

/**
 * A link may be followed from anywhere to what holds no data: the dashboard's page, its files and the health routes.
 */
function isFollowedLink({ method, headers, routeOptions: { config } }: FastifyRequest): boolean {
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  const isRead = method === 'GET' || method === 'HEAD';
  return isNavigation && isRead && (config.signIn === true || config.open === true);
}

function holdsToken({ headers }: FastifyRequest, token: string): boolean {
  const given = /^Bearer +([^ ].*)$/i.exec(headers.authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Digests have equal lengths, so that the comparison does not reveal that of the token. */
function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}
