import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `EVENT_SINK_SECRET` of the drill. */
export const SINK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Receives what the replicas deliver, and hands each event to the operation that waits for it. */
export class DrillSink {
  private readonly waiting = new Map<string, (text: string) => void>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.waiting.get(String(request.headers['webhook-id']))?.(Buffer.concat(chunks).toString());
        response.writeHead(204).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** The delivery of an event; undefined when it has not come in that time. */
  async deliveryOf(eventId: string, withinMs: number): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const timer = setTimeout(() => resolve(undefined), withinMs);
    this.waiting.set(eventId, resolve);
    const text = await promise;
    clearTimeout(timer);
    this.waiting.delete(eventId);
    return text;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
