import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultOfDelivery } from './check-delivery.js';

/** A request that the server received, body included. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request; may do anything to the socket. */
export type Answerer = (received: ReceivedRequest, response: ServerResponse) => void;

/** A small server whose answer a test changes as it goes. */
export interface JsonServer {
  readonly url: URL;
  readonly received: readonly ReceivedRequest[];
  /** The answer to the next requests. */
  answer: Answerer;
  /** @throws Error if an event was delivered in a form that its JSON Schema does not have */
  close(): Promise<void>;
}

/** Answers 200 with a value as JSON. */
export function json(value: unknown, status = 200): Answerer {
  return (_received, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
}

/** Starts a server on a free port of the loopback interface. */
export async function startJsonServer(answer: Answerer): Promise<JsonServer> {
  const received: ReceivedRequest[] = [];
  let deliveryFault: string | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(one);
      deliveryFault ??= faultOfDelivery(headers, one.body);
      handle.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const handle: JsonServer = {
    url: new URL(`http://127.0.0.1:${port}/`),
    received,
    answer,
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.closeAllConnections();
        server.close(() => (deliveryFault === undefined ? resolve() : reject(new Error(deliveryFault))));
      }),
  };
  return handle;
}
