import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector, Pool } from 'undici';
import type { Config } from '../../config/load-config.js';
import { isLoopbackHost } from '../../config/values/url-forms.js';

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
 * Connects to https origins through an HTTP proxy by `CONNECT` (RFC 9110 section 9.3.6): the proxy resolves the name,
 * and TLS is verified here, end to end. The timeout of `tls` holds for the answer of the proxy too.
 */
export function tunnelThrough(
  { origin, username, password }: URL,
  tls: buildConnector.BuildOptions & { readonly timeout: number },
): buildConnector.connector {
  const secure = buildConnector(tls);
  const { timeout } = tls;
  const proxy = new Pool(origin, { connect: { timeout }, headersTimeout: timeout, allowH2: false });
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const open = async (options: buildConnector.Options): Promise<Duplex> => {
    const { hostname, port } = options;
    const host = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port || 443}`;
    const headers = { host, ...(username && { 'proxy-authorization': authorization }) };
    const { statusCode, socket } = await proxy.connect({ path: host, headers }).catch((cause: unknown) => {
      // a connection that breaks is one to try again for undici: it would ask the proxy at once, and for ever
      throw new Error('the proxy opened no tunnel', { cause });
    });
    if (statusCode === 200) return socket;
    socket.destroy();
    throw new Error(`the proxy refused the connection with status ${statusCode}`);
  };
  return (options, callback) => {
    open(options).then(
      (socket) => secure({ ...options, httpSocket: socket as Socket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}
