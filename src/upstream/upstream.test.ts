import { randomUUID } from 'node:crypto';
import { anUpstream } from '../../test/support/parts.js';
import { json, startJsonServer } from '../../test/support/json-server.js';
import { RequestContext } from '../http/request-context.js';
import { passHeaders } from '../http/outgoing/passed-headers.js';

test('a path of UPSTREAM_URL that begins with two slashes names no other host: the token stays with the upstream', async () => {
  const [server, other] = [await startJsonServer(json({})), await startJsonServer(json({}))];
  const upstream = anUpstream(new URL(`${server.url.origin}//${other.url.host}`));
  await upstream.sendGraphql('{}', { token: 'partner', bodyBytesMax: 10 }, RequestContext.background());
  expect(server.received.map(({ url }) => url)).toEqual([`//${other.url.host}/graphql`]);
  expect(other.received).toEqual([]);
  await Promise.all([upstream.onApplicationShutdown(), server.close(), other.close()]);
});

test('the id of a request is that of its first call to the upstream, whether or not the issuer was asked before', async () => {
  const server = await startJsonServer(json({}));
  const upstream = anUpstream(server.url);
  const context = RequestContext.background();
  await upstream.requestPartnerToken('secret', context);
  await upstream.postToTokenEndpoint('{}', 'token', context);
  await upstream.requestPartnerToken('secret', context);
  await upstream.sendGraphql('{}', { token: undefined, bodyBytesMax: 10 }, context);
  const sent = server.received.map(({ headers }) => headers['x-request-id']);
  expect(sent.indexOf(context.requestId)).toBe(1);
  expect(new Set(sent).size).toBe(4);
  expect(context.upstreamRequestIds).toEqual(sent);
  await Promise.all([upstream.onApplicationShutdown(), server.close()]);
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
