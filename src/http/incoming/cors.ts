import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load-config.js';

const MAX_AGE_SECONDS = 7_200;

const REQUEST_HEADERS = [
  // what the routes read
  'Authorization',
  'Content-Type',
  'Accept-Language',
  'X-Hirer-Id',
  'X-Request-Id',
  'X-Session-Id',
  'X-CSRF',
  'Last-Event-ID',
  'X-Refused-Token',
  // what common clients add
  'traceparent',
  'tracestate',
  'baggage',
  'apollographql-client-name',
  'apollographql-client-version',
  'x-apollo-operation-name',
];

const RESPONSE_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Content-Language',
  'Content-Disposition',
  'X-Operation-Warnings',
];

/** The route by which the plugin takes `OPTIONS` of any address, unknown ones included. */
const ANY_ADDRESS = '*';

/**
 * Lets pages of exactly the configured origins call the routes; any other origin gets no CORS header. Only preflights
 * of known addresses are answered here; every other `OPTIONS` request is refused as it is without CORS.
 */
export async function allowOrigins(
  listener: FastifyInstance,
  config: Pick<Config, 'CORS_ORIGINS' | 'CORS_HEADERS' | 'END_USER_COOKIE'>,
): Promise<void> {
  if (config.CORS_ORIGINS.length === 0) return;
  const options: FastifyCorsOptions = {
    origin: [...config.CORS_ORIGINS],
    credentials: config.END_USER_COOKIE !== undefined,
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: [...REQUEST_HEADERS, ...config.CORS_HEADERS],
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  };
  const withoutPreflight = { ...options, preflight: false };
  await listener.register(cors, {
    delegator: (request, callback) => callback(null, isPreflight(request) ? options : withoutPreflight),
  });
  listener.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url === ANY_ADDRESS) reply.callNotFound();
    else done();
  });
}

/** True if a browser asks what a page may send (Fetch Standard, "CORS-preflight request"). */
function isPreflight({ method, headers, routeOptions }: FastifyRequest): boolean {
  const isAsking = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
  return method === 'OPTIONS' && isAsking && routeOptions.url !== ANY_ADDRESS;
}
