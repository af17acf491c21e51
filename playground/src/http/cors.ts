/** Headers a browser may send and read across origins (interface 5.3.6; interface, Tracing requests; interface, Content localisation). */
export function corsHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers':
      'Authorization, Accept-Language, Content-Type, X-Request-Id, X-Session-Id, traceparent',
    'Access-Control-Expose-Headers': 'Content-Disposition, Content-Length, Content-Language, Retry-After',
    'Access-Control-Max-Age': '600',
  };
}
