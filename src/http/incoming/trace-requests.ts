import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../../telemetry/tracing.js';
import type {} from '../request-context.js';
import type { EndedRequest } from '../request-end.js';

/** Makes a span of each request, from its first byte to the end of its answer. */
export function traceRequests(listener: FastifyInstance, tracing: Tracing): void {
  listener.addHook('onRequest', ({ method, headers, routeOptions, context }, _reply, done) => {
    context.traceWith(tracing.startRequest(`${method} ${routeOptions.url ?? 'none'}`, headers));
    done();
  });
  listener.onEnd(endSpan);
}

function endSpan({ context, method, route, status }: EndedRequest): void {
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'request.id': context.requestId,
  };
  context.rootSpan?.end(attributes, status >= 500);
}
