import { json, startJsonServer } from '../../test/support/json-server.js';
import { RequestContext } from '../http/request-context.js';
import { openPool } from '../http/outgoing/exchange.js';
import { openStream } from '../http/outgoing/stream.js';
import { openLog } from '../telemetry/log.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics } from '../telemetry/metrics.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { KeptSecrets } from './kept-secrets.js';
import { UpstreamClient } from './upstream-client.js';
import { UpstreamMetrics } from './upstream-metrics.js';

const ORIGIN = new URL('http://127.0.0.1:1');
const FAULT = { name: 'ExchangeFault' };

test('an option that a call does not know is refused by the compiler at every hop, in a variable as in a literal', async () => {
  const log = openLog({ LOG_LEVEL: 'silent' });
  const metrics = new UpstreamMetrics(new Metrics(), new Conditions());
  const client = new UpstreamClient(ORIGIN, { graphql: 1, attachment: 1 }, 'test', metrics, log);
  const endpoint = new GraphqlEndpoint(client, { UPSTREAM_URL: ORIGIN, UPSTREAM_TIMEOUT_MS: 50 });
  const context = RequestContext.background();
  const bounds = { bodyBytesMax: 0, signal: AbortSignal.abort() };
  const request = { method: 'GET', path: '/', headers: {}, timeoutMs: 50, bodyBytesMax: 0 } as const;
  const unknown = { ...request, signal: AbortSignal.abort() };
  // @ts-expect-error `cancellation` cancels a call; a signal would be ignored
  await expect(endpoint.send('{}', {}, bounds, context)).rejects.toMatchObject(FAULT);
  // @ts-expect-error the same one hop further
  await expect(client.send('graphql', unknown, context)).rejects.toMatchObject(FAULT);
  // @ts-expect-error and for a stream
  await expect(client.open('attachment', { ...unknown }, context)).rejects.toMatchObject(FAULT);
  const pool = openPool(ORIGIN, 1);
  // @ts-expect-error and at the last hop
  await expect(openStream(pool, unknown)).rejects.toMatchObject(FAULT);
  await Promise.all([pool.destroy(), client.close()]);
});

test('the id of a request is that of its first call to the upstream, whether or not the issuer was asked before', async () => {
  const log = openLog({ LOG_LEVEL: 'silent' });
  const metrics = new UpstreamMetrics(new Metrics(), new Conditions());
  const server = await startJsonServer(json({}));
  const client = new UpstreamClient(server.url, { issuer: 1, token: 1, graphql: 1 }, 'test', metrics, log);
  const context = RequestContext.background();
  const sent: unknown[] = [];
  for (const target of ['issuer', 'token', 'issuer', 'graphql'] as const) {
    const headers: Record<string, string> = {};
    const request = { method: 'POST', path: '/', headers, timeoutMs: 5_000, bodyBytesMax: 10 } as const;
    await client.send(target, request, context);
    sent.push(headers['x-request-id']);
  }
  expect(sent.indexOf(context.requestId)).toBe(1);
  expect(new Set(sent).size).toBe(4);
  expect(context.upstreamRequestIds).toEqual(sent);
  await Promise.all([client.close(), server.close()]);
});

test('an answer whose Content-Language is a secret of ours is forbidden', async () => {
  const server = await startJsonServer((call, response) => {
    response.setHeader('content-language', call.url === '/' ? 'a-secret-word' : 'en-AU');
    json({})(call, response);
  });
  const secrets = { current: { PARTNER_CLIENT_SECRET: 'a-secret-word' }, onChange: () => undefined };
  const client = new UpstreamClient(
    server.url,
    { graphql: 1 },
    'test',
    new UpstreamMetrics(new Metrics(), new Conditions()),
    openLog({ LOG_LEVEL: 'silent' }),
    undefined,
    new KeptSecrets(secrets),
  );
  const ask = (path: string) => {
    const request = { method: 'POST', path, headers: {}, timeoutMs: 5_000, bodyBytesMax: 10 } as const;
    return client.send('graphql', request, RequestContext.background());
  };
  await expect(ask('/')).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(ask('/other')).resolves.toMatchObject({ status: 200 });
  await Promise.all([client.close(), server.close()]);
});
