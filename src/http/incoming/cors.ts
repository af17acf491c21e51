import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load-config.js';
import { clip } from '../../errors/bff-error.js';
import type { Log } from '../../telemetry/log.js';

const MAX_AGE_SECONDS = 7_200;
const MINUTE_MS = 60_000;
/** Refused origins that are logged in a minute, each once. */
const LOGGED_ORIGINS_MAX = 100;
const ORIGIN_CHARACTERS_MAX = 200;

/** Headers that the routes read. */
const OWN_HEADERS =
  'Authorization, Content-Type, Accept-Language, X-Hirer-Id, X-Request-Id, X-Session-Id, X-CSRF, Last-Event-ID, X-Refused-Token';
/** Headers that common clients add. */
const CLIENT_HEADERS =
  'traceparent, tracestate, baggage, sentry-trace, b3, newrelic, x-datadog-origin, x-datadog-parent-id, x-datadog-sampled, x-datadog-sampling-priority, x-datadog-tags, x-datadog-trace-id, apollographql-client-name, apollographql-client-version, x-apollo-operation-name';
const RESPONSE_HEADERS =
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Language, Content-Disposition, X-Operation-Warnings';

/**
 * Lets pages of exactly the configured origins call the routes; any other origin gets no CORS header, and is logged once a
 * minute. Only preflights of known addresses are answered here (Fetch Standard, "CORS-preflight request"); every other
 * `OPTIONS` request is refused as it is without CORS.
 */
export class Cors {
  /** True if answers vary by origin, so that a request without one is of interest too. */
  readonly isOn: boolean;
  private readonly origins: ReadonlySet<string>;
  private readonly credentials: boolean;
  private readonly preflightHeaders: Record<string, string | number>;
  private readonly logged = new Set<string>();
  private loggedSince = 0;

  constructor(
    config: Pick<Config, 'CORS_ORIGINS' | 'CORS_HEADERS' | 'END_USER_COOKIE'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {
    this.origins = new Set(config.CORS_ORIGINS);
    this.isOn = this.origins.size > 0;
    this.credentials = config.END_USER_COOKIE !== undefined;
    this.preflightHeaders = {
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': [OWN_HEADERS, CLIENT_HEADERS, ...config.CORS_HEADERS].join(', '),
      'access-control-max-age': MAX_AGE_SECONDS,
    };
  }

  /** Sets the headers of an answer. @returns true if it was sent, which a preflight's is */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    if (this.isOn) reply.header('vary', 'Origin');
    if (origin === undefined) return false;
    if (!this.origins.has(origin)) {
      this.noteRefusal(origin, request.host);
      return false;
    }
    reply.header('access-control-allow-origin', origin);
    if (this.credentials) reply.header('access-control-allow-credentials', 'true');
    if (isPreflight(request)) {
      void reply.code(204).headers(this.preflightHeaders).send();
      return true;
    }
    reply.header('access-control-expose-headers', RESPONSE_HEADERS);
    return false;
  }

  /**
   * Tells operators why a browser withholds answers from a page.
   * @param host by which the service was called: its own pages are of that origin, and need no CORS
   */
  private noteRefusal(origin: string, host: string): void {
    if (URL.parse(origin)?.host === host) return;
    if (performance.now() - this.loggedSince >= MINUTE_MS) {
      this.logged.clear();
      this.loggedSince = performance.now();
    }
    if (this.logged.has(origin) || this.logged.size >= LOGGED_ORIGINS_MAX) return;
    this.logged.add(origin);
    this.log.warn(
      { origin: clip(origin, ORIGIN_CHARACTERS_MAX) },
      'a page of an origin that CORS_ORIGINS does not name called: its browser withholds the answer',
    );
  }
}

function isPreflight({ method, headers, is404 }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && !is404;
}
