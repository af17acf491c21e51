import { CLIENT_SETTINGS } from '../../../test/support/parts.js';
import { startConnectProxy } from '../../../test/support/raw-connection.js';
import { RequestContext } from '../request-context.js';
import { OutgoingRequest, type ExchangeFault } from './exchange.js';
import { HttpClient } from './http-client.js';
import { proxyOf } from './outbound-proxy.js';

const PROXY = new URL('http://proxy.partner.test:3128');

test.each([
  ['https://graphql.example.com', true],
  ['https://api.internal.partner.test', false],
  ['https://internal.partner.test', true],
  ['https://backend.partner.test:8443', false],
  ['https://not-backend.partner.test', true],
  ['http://127.0.0.1:4000', false],
  ['http://localhost:4000', false],
  ['http://[::1]:4000', false],
])('%s is called through the proxy: %j', (origin, isProxied) => {
  const OUTBOUND_PROXY_EXCEPT = ['.internal.Partner.test', 'backend.partner.test'];
  const proxy = proxyOf(new URL(origin), { OUTBOUND_PROXY: PROXY, OUTBOUND_PROXY_EXCEPT });
  expect(proxy).toBe(isProxied ? PROXY : undefined);
});

test('without a proxy everything is called directly', () => {
  const settings = { OUTBOUND_PROXY: undefined, OUTBOUND_PROXY_EXCEPT: [] };
  expect(proxyOf(new URL('https://graphql.example.com'), settings)).toBeUndefined();
});

async function faultThrough(proxy: URL): Promise<ExchangeFault> {
  const settings = { ...CLIENT_SETTINGS, OUTBOUND_PROXY: proxy };
  const url = new URL('https://upstream.partner.test');
  const client = new HttpClient('test', url, settings, { connectionsMax: 1 });
  const request = new OutgoingRequest('GET', '/', {}, { bodyBytesMax: 10, timeoutMs: 10_000 });
  const fault = await client.send(request, RequestContext.background()).catch((error: unknown) => error);
  await client.close();
  return fault as ExchangeFault;
}

test.each([403, 407, 502])(
  'a refusal of the proxy (%d) is a failed connection, with nothing sent',
  async (status) => {
    const fault = await faultThrough((await startConnectProxy(() => ({ status }))).url);
    expect(fault).toMatchObject({ kind: 'connection', status: 0 });
    expect(String(fault.cause)).toContain(`status ${status}`);
  },
);

test.each<['silence' | 'end', string]>([
  ['silence', 'does not answer is given up after the time of a connection'],
  ['end', 'closes the connection is a failed connection, asked once'],
])('%s: a proxy that %s', async (passage) => {
  const proxy = await startConnectProxy(() => passage);
  expect(await faultThrough(proxy.url)).toMatchObject({ kind: 'connection', status: 0 });
  expect(proxy.requests).toHaveLength(1);
});

test('a proxy that is not there is a failed connection', async () => {
  const proxy = await startConnectProxy(() => 'silence');
  await proxy.close();
  expect(await faultThrough(proxy.url)).toMatchObject({ kind: 'connection', status: 0 });
});
