import { request as requestPlain, type ClientRequestArgs } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Config } from '../../config/load-config.js';
import { isLoopbackHost, socketHost } from '../../config/values/url-forms.js';

/** The settings that name the proxy and what is called without it. */
export type ProxySettings = Pick<Config, 'OUTBOUND_PROXY' | 'OUTBOUND_PROXY_EXCEPT'>;

/** The proxy through which an origin is called, if any. This machine itself, and what is called by plain http, is never. */
export function proxyOf(
  { hostname, protocol }: URL,
  { OUTBOUND_PROXY, OUTBOUND_PROXY_EXCEPT }: ProxySettings,
): URL | undefined {
  const isExcepted = OUTBOUND_PROXY_EXCEPT.map((except) => except.toLowerCase()).some((except) =>
    except.startsWith('.') ? hostname.endsWith(except) : hostname === except,
  );
  const isDirect = protocol === 'http:' || isLoopbackHost(hostname);
  return isExcepted || isDirect ? undefined : OUTBOUND_PROXY;
}

/**
 * Connects to https origins through an HTTP proxy, by `CONNECT` (RFC 9110 section 9.3.6): the proxy sees the name and the
 * port of the origin, and resolves the name; TLS is verified here, end to end.
 * @param tls of the connection to the origin; its timeout is that of the proxy's answer, too
 */
export function tunnelThrough(proxy: URL, tls: buildConnector.BuildOptions): buildConnector.connector {
  const secure = buildConnector(tls);
  return (options, callback) => {
    const { hostname, port } = options;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const begin = proxy.protocol === 'https:' ? requestSecure : requestPlain;
    const request = begin(connectRequest(proxy, `${host}:${port || 443}`, tls.timeout));
    request.once('connect', ({ statusCode }, socket: Socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) return secure({ ...options, httpSocket: socket }, callback);
      socket.destroy();
      callback(new Error(`the proxy refused the connection with status ${statusCode}`), null);
    });
    request.once('timeout', () => request.destroy(new Error('the proxy did not answer in time')));
    request.once('error', (error) => callback(error, null));
    request.end();
  };
}

function connectRequest(
  proxy: URL,
  authority: string,
  timeout: number | null | undefined,
): ClientRequestArgs {
  const { hostname, port, protocol, username, password } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    method: 'CONNECT',
    host: socketHost(hostname),
    port: port || (protocol === 'https:' ? 443 : 80),
    path: authority,
    headers: {
      host: authority,
      ...(username && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    agent: false,
    ...(timeout && { timeout }),
  };
}
