import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `EVENT_SINK_SECRET` of the drill. */
export const SINK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Receives what the replicas deliver, and hands each event to the operation that sent it: once, or more often. */
export class DrillSink {
  private readonly receivers = new Map<string, (text: string) => void>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.receivers.get(String(request.headers['webhook-id']))?.(Buffer.concat(chunks).toString());
        response.writeHead(204).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /**
   * Whether the event is delivered in that time.
   * @param receive called with each delivery, whenever it comes
   */
  async deliveryOf(eventId: string, receive: (text: string) => void, withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    this.receivers.set(eventId, (text) => {
      receive(text);
      resolve(true);
    });
    const isDelivered = await promise;
    clearTimeout(timer);
    return isDelivered;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
