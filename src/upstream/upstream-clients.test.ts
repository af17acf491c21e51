import { randomUUID } from 'node:crypto';
import { json, startJsonServer } from '../../test/support/json-server.js';
import { RequestContext } from '../http/request-context.js';
import { passHeaders } from '../http/outgoing/passed-headers.js';
import { openLog } from '../telemetry/log.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics } from '../telemetry/metrics.js';
import { PartnerTokenGuard } from './partner-token-guard.js';
import { UpstreamClients } from './upstream-clients.js';

function openClients(url: URL): UpstreamClients {
  const config = {
    UPSTREAM_URL: url,
    ISSUER_TOKEN_URL: url,
    USER_AGENT: 'test',
    OUTBOUND_PROXY: undefined,
    OUTBOUND_PROXY_EXCEPT: [],
  };
  return new UpstreamClients(
    config,
    new Metrics(),
    new Conditions(),
    openLog({ LOG_LEVEL: 'silent' }),
    new PartnerTokenGuard(),
  );
}

test('the id of a request is that of its first call to the upstream, whether or not the issuer was asked before', async () => {
  const server = await startJsonServer(json({}));
  const clients = openClients(server.url);
  const context = RequestContext.background();
  const sent: unknown[] = [];
  for (const target of ['issuer', 'token', 'issuer', 'graphql'] as const) {
    const headers: Record<string, string> = {};
    const request = { method: 'POST', path: '/', headers, timeoutMs: 5_000, bodyBytesMax: 10 } as const;
    await clients[target].send(request, context);
    sent.push(headers['x-request-id']);
  }
  expect(sent.indexOf(context.requestId)).toBe(1);
  expect(new Set(sent).size).toBe(4);
  expect(context.upstreamRequestIds).toEqual(sent);
  await Promise.all([clients.onApplicationShutdown(), server.close()]);
});

test('a session and a trace state go to the upstream, and not to a dependency of the operator', () => {
  const passed = { 'x-session-id': randomUUID(), tracestate: 'a=b' };
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const context = new RequestContext(randomUUID(), { ...passed, traceparent }, undefined, true);
  const [upstream, dependency]: Record<string, string>[] = [{}, {}];
  passHeaders(context, upstream!, 'upstream', undefined);
  passHeaders(context, dependency!, 'dependency', undefined);
  expect(upstream).toMatchObject(passed);
  expect(Object.keys(dependency!).sort()).toEqual(['traceparent', 'x-request-id']);
});
