import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load-config.js';

const MAX_AGE_SECONDS = 7_200;
/** Headers that the routes read, and then those that common clients add. */
const REQUEST_HEADERS = [
  'Authorization, Content-Type, Accept-Language, X-Hirer-Id, X-Request-Id, X-Session-Id, X-CSRF, Last-Event-ID, X-Refused-Token',
  'traceparent, tracestate, baggage, sentry-trace, b3, newrelic, x-datadog-origin, x-datadog-parent-id, x-datadog-sampled, x-datadog-sampling-priority, x-datadog-tags, x-datadog-trace-id, apollographql-client-name, apollographql-client-version, x-apollo-operation-name',
];
const RESPONSE_HEADERS =
  'X-Request-Id, Retry-After, Content-Language, Content-Disposition, X-Operation-Warnings';

/**
 * Lets pages of exactly the configured origins call the routes. Only preflights of known addresses are answered here
 * (Fetch Standard, "CORS-preflight request"); every other `OPTIONS` request is refused as it is without CORS.
 */
export class Cors {
  private readonly origins: ReadonlySet<string>;
  private readonly preflightHeaders: Record<string, string | number>;

  constructor(private readonly config: Pick<Config, 'CORS_ORIGINS' | 'CORS_HEADERS' | 'END_USER_COOKIE'>) {
    this.origins = new Set(config.CORS_ORIGINS);
    this.preflightHeaders = {
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': [...REQUEST_HEADERS, ...config.CORS_HEADERS].join(', '),
      'access-control-max-age': MAX_AGE_SECONDS,
    };
  }

  /** Sets the headers of an answer. @returns true if it was sent, which a preflight's is */
  answer({ method, headers, is404 }: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = headers;
    reply.header('vary', 'Origin');
    if (origin === undefined || !this.origins.has(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    if (this.config.END_USER_COOKIE !== undefined) reply.header('access-control-allow-credentials', 'true');
    if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && !is404) {
      void reply.code(204).headers(this.preflightHeaders).send();
      return true;
    }
    reply.header('access-control-expose-headers', RESPONSE_HEADERS);
    return false;
  }
}
