import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { Environment } from '../../src/config/load-config.js';
import { endsByItself, portOf } from './machine.js';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

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

/** The secret of an event sink. */
export const SINK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Settings of a service that takes webhooks signed with a secret, and delivers their events to a sink. */
export function webhookSettings(secret: string, sink: Pick<JsonServer, 'url'>): Environment {
  return { WEBHOOK_SECRETS: secret, EVENT_SINK_URL: sink.url.href, EVENT_SINK_SECRET: SINK_SECRET };
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
      if (headers['webhook-signature'] !== undefined) deliveryFault ??= faultOfDelivery(one.body);
      handle.answer(one, response);
    });
  });
  const port = await portOf(server);
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
  endsByItself(handle.close);
  return handle;
}

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
const isDelivery = ajv.compile(JSON.parse(readFileSync('schemas/event-delivery.json', 'utf8')) as object);

/**
 * How a delivery differs from the schema that is shipped. Members that the upstream sent in another form than it documents
 * are delivered as they came, and are not judged.
 */
export function faultOfDelivery(body: string): string | undefined {
  if (isDelivery(withoutOddMembers(JSON.parse(body) as object))) return undefined;
  const faults = (isDelivery.errors ?? []).map(
    (error: ErrorObject) => `${error.instancePath} ${error.message}`,
  );
  return `${faults.join('; ')} in ${body}`;
}

/** Without texts that are none: every identifier may be missing. */
function withoutOddMembers(delivery: object): object {
  if (!('data' in delivery) || typeof delivery.data !== 'object' || delivery.data === null) return delivery;
  const members = Object.entries(delivery.data).filter(
    ([name, value]) => typeof value === 'string' || name === 'object' || name === 'objectErrors',
  );
  return { ...delivery, data: Object.fromEntries(members) };
}
