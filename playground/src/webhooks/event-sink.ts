import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { isRecord, parseJson, readContentType, refusal } from '../http/route.js';

/** One delivery as the sink received it. */
export interface SinkDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly receivedMs: number;
  /** True if the signature is valid; otherwise the delivery is refused with 401. */
  readonly verified: boolean;
  /** True if the service marked it as a repeat. */
  readonly isRepeat: boolean;
  /** What was delivered, as JSON has it. */
  readonly body: Readonly<Record<string, unknown>>;
}

const PATH = '/playground/sink';
const KEY_BYTES = 32;
const DELIVERIES_MAX = 500;

/**
 * A receiver of events that stands in for the partner's own back end: checks signatures by the Standard Webhooks
 * scheme, and keeps the last deliveries. It has no effect on the playground's data.
 */
export class EventSink {
  private readonly key = randomBytes(KEY_BYTES);
  private readonly deliveries: SinkDelivery[] = [];

  constructor(private readonly now: () => number) {}

  /** The settings of a service that delivers here. */
  settingsAt(origin: string): Readonly<Record<'EVENT_SINK_URL' | 'EVENT_SINK_SECRET', string>> {
    return {
      EVENT_SINK_URL: `${origin}${PATH}`,
      EVENT_SINK_SECRET: `whsec_${this.key.toString('base64')}`,
    };
  }

  /** The deliveries of one event, or all that are kept, oldest first. */
  list(eventId?: string): SinkDelivery[] {
    return this.deliveries.filter((delivery) => eventId === undefined || delivery.eventId === eventId);
  }

  /** Forgets all deliveries. The secret stays. */
  clear(): void {
    this.deliveries.length = 0;
  }

  /** `POST` receives a delivery, `GET` lists the deliveries, those of `eventId` if it is given. */
  routes(): RouteOptions[] {
    const route = { url: PATH, config: { name: 'control' } } as const;
    return [
      {
        ...route,
        method: 'GET',
        handler: ({ query }) => ({ deliveries: this.list((query as { eventId?: string }).eventId) }),
      },
      { ...route, method: 'POST', handler: (request, reply) => this.receive(request, reply) },
    ];
  }

  /** Takes a delivery whose signature is right, and keeps every one. */
  receive(
    { headers, body }: Pick<FastifyRequest, 'headers' | 'body'>,
    reply: Pick<FastifyReply, 'code'>,
  ): object | undefined {
    if (readContentType(headers['content-type']).mediaType !== 'application/json') {
      throw refusal(415, 'Send application/json.');
    }
    const event = Buffer.isBuffer(body) ? parseJson(body)?.value : undefined;
    const eventId = headers['webhook-id'];
    if (!isRecord(event) || typeof event['type'] !== 'string' || typeof eventId !== 'string') {
      throw refusal(400, 'Send an event in the Standard Webhooks form, with webhook-id.');
    }
    const verified = this.isSigned(headers, body as Buffer, eventId);
    const isRepeat = isMarkedRepeat(headers['webhook-repeat'], event['data']);
    const { type } = event;
    this.deliveries.push({ eventId, type, receivedMs: this.now(), verified, isRepeat, body: event });
    if (this.deliveries.length > DELIVERIES_MAX) this.deliveries.shift();
    return verified ? reply.code(204).send() : reply.code(401).send({ message: 'The signature is wrong.' });
  }

  private isSigned(headers: FastifyRequest['headers'], body: Buffer, eventId: string): boolean {
    const expected = createHmac('sha256', this.key)
      .update(`${eventId}.${String(headers['webhook-timestamp'])}.`)
      .update(body)
      .digest();
    return String(headers['webhook-signature'])
      .split(' ')
      .map((signature) => Buffer.from(signature.replace(/^v1,/, ''), 'base64'))
      .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  }
}

/** An operator's redelivery repeats an event too, unless it is sent as a new one, which names the first. */
function isMarkedRepeat(mark: unknown, data: unknown): boolean {
  if (mark !== 'operator') return mark === 'true';
  return !(isRecord(data) && 'redeliveryOf' in data);
}
