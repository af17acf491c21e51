import { loadConfig, type Environment } from '../../src/config/load-config.js';
import { VERSION } from '../../src/config/version.js';
import { OtlpTracing } from '../../src/telemetry/otlp-tracing.js';
import { type Json, askToken, startStack, type Stack } from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { endsByItself } from '../support/machine.js';
import { REAL } from '../support/parts.js';
import { until } from '../support/until.js';

const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${CALLER_TRACE}-00f067aa0ba902b7-01`;

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string }[];
  readonly status?: { readonly code?: number };
}

let collector: JsonServer;
let stack: Stack;
async function start(trustTrace: boolean, settings: Environment = {}): Promise<void> {
  collector = await startJsonServer(json({}));
  stack = await startStack({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of-the-collector',
    TRUST_TRACE: String(trustTrace),
    ...settings,
  });
}

/** Asks for a token as part of the caller's trace, stops the service, and gives what the collector got. */
async function spansOfOneRequest(): Promise<SentSpan[]> {
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const amelia = await stack.playground.signIn('amelia');
  const asked = { hirerId, scope: 'query:organizations' };
  const answer = await askToken(stack, amelia, asked, { traceparent: TRACEPARENT });
  expect(answer.status).toBe(200);
  return sentSpans(amelia, [answer.body.access_token]);
}

/** Stops the service, and gives what the collector got: no secret among it. */
async function sentSpans(jwt: string, tokens: readonly string[]): Promise<SentSpan[]> {
  const { hirerId } = stack.playground.demo.hirers[0]!;
  await stack.close();
  for (const secret of [...tokens, jwt, stack.environment['PARTNER_CLIENT_SECRET'], hirerId, 'amelia']) {
    expect(collector.received.map(({ body }) => body).join()).not.toContain(secret);
  }
  return collector.received.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap((resource: Json) =>
      resource.scopeSpans.flatMap((scope: Json) => scope.spans as SentSpan[]),
    ),
  );
}

describe('traces', () => {
  test('a request is a span with its upstream calls in it, and links to the trace of the caller', async () => {
    await start(false);
    const spans = await spansOfOneRequest();
    const named = (name: string): SentSpan => spans.find((span) => span.name === name)!;
    const request = named('POST /auth/token');
    expect(named('POST token').parentSpanId).toBe(request.spanId);
    expect(request.traceId).not.toBe(CALLER_TRACE);
    expect(request.links?.map(({ traceId }) => traceId)).toEqual([CALLER_TRACE]);
    const { url, headers } = collector.received[0]!;
    expect([url, headers['x-api-key']]).toEqual(['/v1/traces', 'of-the-collector']);

    const [upstreamCall] = stack.playground.calls.list({ route: 'auth-token' });
    expect(upstreamCall!.traceparent).toBe(`00-${request.traceId}-${named('POST token').spanId}-01`);
  });

  test('the process names itself as OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say, in traces', async () => {
    Object.assign(process.env, {
      OTEL_SERVICE_NAME: 'jobs-bff',
      OTEL_RESOURCE_ATTRIBUTES:
        'service.name=other,service.instance.id=pod-7,deployment.environment.name=test',
    });
    await start(false);
    delete process.env['OTEL_SERVICE_NAME'];
    delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
    const [request] = (await spansOfOneRequest()).filter(({ name }) => name === 'POST /auth/token');
    const [sent] = JSON.parse(collector.received[0]!.body).resourceSpans;
    const attributes = sent.resource.attributes.map(({ key, value }: Json) => [key, value.stringValue]);
    expect(Object.fromEntries(attributes)).toEqual({
      'service.name': 'jobs-bff',
      'service.version': VERSION,
      'service.instance.id': 'pod-7',
      'deployment.environment.name': 'test',
    });
    const line = stack
      .logText()
      .split('\n')
      .find((one) => one.includes('"route":"/auth/token"'))!;
    expect(JSON.parse(line)).toMatchObject({
      traceId: request!.traceId,
    });
  });

  test('a call to the membership service is part of the trace, and no call to the upstream', async () => {
    const members = await startJsonServer((received, response) => {
      const { hirerId } = stack.playground.demo.hirers[0]!;
      json({ memberships: [{ hirerId, roles: ['member'] }] })(received, response);
    });
    await start(false, { HIRER_ACCESS: 'http', HIRER_ACCESS_URL: members.url.href });
    const spans = await spansOfOneRequest();
    const named = (name: string): SentSpan => spans.find((span) => span.name === name)!;
    const call = named('POST membership-service');
    expect(call.parentSpanId).toBe(named('POST /auth/token').spanId);
    const { headers } = members.received[0]!;
    expect(headers['traceparent']).toBe(`00-${call.traceId}-${call.spanId}-01`);
    const [upstreamCall] = stack.playground.calls.list({ route: 'auth-token' });
    expect(upstreamCall!.requestId).toBe(headers['x-request-id']); // still the request's own
  });

  test('with TRUST_TRACE the trace of the caller goes on', async () => {
    await start(true);
    const spans = await spansOfOneRequest();
    const request = spans.find(({ name }) => name === 'POST /auth/token')!;
    expect(request).toMatchObject({ traceId: CALLER_TRACE, parentSpanId: '00f067aa0ba902b7' });
  });

  test('a collector that refuses is logged once, and once more when it accepts traces again', async () => {
    collector = await startJsonServer(json({}, 401));
    const logged: string[] = [];
    const note = (...line: unknown[]): void => void logged.push(JSON.stringify(line));
    const config = loadConfig({ ...REAL, OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20dTpw' });
    const tracing = new OtlpTracing(collector.url, config, { info: note, warn: note });
    endsByItself(() => tracing.close());
    /** As many spans as are sent at once: fewer are sent after five seconds. */
    const sendBatch = async (): Promise<void> => {
      const { length } = collector.received;
      for (let span = 0; span < 512; span += 1) tracing.startRequest('GET /', {}).end();
      await until(() => collector.received.length > length);
    };
    for (let batch = 0; batch < 2; batch += 1) await sendBatch();
    await until(() => logged.length === 1);
    collector.answer = json({});
    for (let batch = 0; batch < 2; batch += 1) await sendBatch();
    await until(() => logged.length === 2);
    expect(collector.received[0]!.headers['authorization']).toBe('Basic dTpw');
    expect(logged[0]).toMatch(/"reason":"401".*does not take traces/);
    expect(logged[1]).toContain('accepts traces again');
    expect(logged.join()).not.toContain('dTpw');
  });

  test('a collector that is down costs no request and does not hold up a stop', async () => {
    await start(false);
    await collector.close();
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const amelia = await stack.playground.signIn('amelia');
    expect((await askToken(stack, amelia, { hirerId, scope: 'query:organizations' })).status).toBe(200);
    await stack.close();
  });
});
