import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP proxy that takes `CONNECT` alone, as companies put between their networks and the internet. */
export interface ConnectProxy {
  readonly url: URL;
  /** The authority and the credentials of each request so far. */
  readonly requests: readonly { readonly authority: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** What the proxy does with a request: connects to a port of this machine, answers a status, or nothing at all. */
export type Passage = { readonly port: number } | { readonly status: number } | 'silence';

/** Starts a proxy that sends each authority where `passage` says. */
export async function startConnectProxy(passage: (authority: string) => Passage): Promise<ConnectProxy> {
  const requests: { authority: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    sockets.add(client.on('error', () => undefined));
    requests.push({ authority: url, authorization: headers['proxy-authorization'] });
    const to = passage(url);
    if (to === 'silence') return;
    if ('status' in to) return void client.end(`HTTP/1.1 ${to.status} No\r\n\r\n`);
    const origin = connect(to.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      origin.pipe(client).pipe(origin);
    });
    sockets.add(origin.on('error', () => client.destroy()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    requests,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
