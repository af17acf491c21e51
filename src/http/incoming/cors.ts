import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load-config.js';
import { clip } from '../../errors/clip.js';
import type { Log } from '../../telemetry/log.js';

const MAX_AGE_SECONDS = 7_200;
const MINUTE_MS = 60_000;
/** Refused origins that are logged in a minute, each once. */
const LOGGED_ORIGINS_MAX = 100;
const ORIGIN_CHARACTERS_MAX = 200;

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
  'sentry-trace',
  'b3',
  'newrelic',
  'x-datadog-origin',
  'x-datadog-parent-id',
  'x-datadog-sampled',
  'x-datadog-sampling-priority',
  'x-datadog-tags',
  'x-datadog-trace-id',
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
].join(', ');

/**
 * Lets pages of exactly the configured origins call the routes; any other origin gets no CORS header, and is logged once a
 * minute. Only preflights of known addresses are answered here (Fetch Standard, "CORS-preflight request"); every other
 * `OPTIONS` request is refused as it is without CORS.
 */
export function allowOrigins(
  listener: FastifyInstance,
  config: Pick<Config, 'CORS_ORIGINS' | 'CORS_HEADERS' | 'END_USER_COOKIE'>,
  log: Pick<Log, 'warn'>,
): void {
  const origins = new Set(config.CORS_ORIGINS);
  const refusals = new Refusals(log);
  const preflightHeaders = {
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': [...REQUEST_HEADERS, ...config.CORS_HEADERS].join(', '),
    'access-control-max-age': MAX_AGE_SECONDS,
  };
  const credentials = config.END_USER_COOKIE !== undefined;
  listener.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origins.size > 0) reply.header('vary', 'Origin');
    if (origin === undefined) return done();
    if (!origins.has(origin)) {
      refusals.note(origin, request.host);
      return done();
    }
    reply.header('access-control-allow-origin', origin);
    if (credentials) reply.header('access-control-allow-credentials', 'true');
    if (isPreflight(request)) return void reply.code(204).headers(preflightHeaders).send();
    reply.header('access-control-expose-headers', RESPONSE_HEADERS);
    done();
  });
}

function isPreflight({ method, headers, is404 }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && !is404;
}

/** Tells whoever runs the service why a browser withholds answers from a page. */
class Refusals {
  private readonly logged = new Set<string>();
  private since = 0;

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  /** @param host by which the service was called: its own pages are of that origin, and need no CORS */
  note(origin: string, host: string): void {
    if (URL.canParse(origin) && new URL(origin).host === host) return;
    if (performance.now() - this.since >= MINUTE_MS) {
      this.logged.clear();
      this.since = performance.now();
    }
    if (this.logged.has(origin) || this.logged.size >= LOGGED_ORIGINS_MAX) return;
    this.logged.add(origin);
    this.log.warn(
      { origin: clip(origin, ORIGIN_CHARACTERS_MAX) },
      'a page of an origin that CORS_ORIGINS does not name called: its browser withholds the answer',
    );
  }
}
