import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../../telemetry/tracing.js';
import { endStatus } from './listener.js';
import type {} from '../request-context.js';

/** Makes a span of each request, from its first byte to the end of its answer. */
export function traceRequests(listener: FastifyInstance, tracing: Tracing): void {
  listener.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request;
    const route = request.routeOptions.url ?? 'none';
    const span = (request.span = tracing.startRequest(`${method} ${route}`, headers));
    request.context.traceWith(span);
    request.context.onEnd(() => {
      const status = endStatus(reply);
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'request.id': request.id,
      };
      span.end(attributes, status >= 500);
    });
    done();
  });
}
