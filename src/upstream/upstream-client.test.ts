import { json, startJsonServer } from '../../test/support/json-server.js';
import { RequestContext } from '../http/request-context.js';
import { openLog } from '../telemetry/log.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics } from '../telemetry/metrics.js';
import { KeptSecrets } from './kept-secrets.js';
import { UpstreamClient } from './upstream-client.js';
import { UpstreamMetrics } from './upstream-metrics.js';

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
