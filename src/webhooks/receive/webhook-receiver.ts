import type { IncomingHttpHeaders } from 'node:http';
import { BffError } from '../../errors/bff-error.js';
import type { Log } from '../../telemetry/log.js';
import type { EventInbox } from '../store/event-inbox.js';
import type { Insertion } from '../store/insert-events.js';
import { readWebhookBody, type WebhookBody } from './webhook-body.js';
import type { ReceivedEvent } from '../store/webhook-event.js';
import type { WebhookMetrics } from '../webhook-metrics.js';
import type { WebhookSender, WebhookSignatures } from './webhook-signatures.js';

const RETRY_AFTER_SECONDS = 5;

/** What a request to `POST /webhooks` is made of. */
export interface WebhookRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly body: unknown;
}

/** Receives webhooks: verified over their raw bytes, then parsed, then stored, then acknowledged. */
export class WebhookReceiver {
  private readonly header: string;

  constructor(
    private readonly signatures: WebhookSignatures,
    header: string,
    private readonly inbox: EventInbox,
    private readonly metrics: WebhookMetrics,
    private readonly log: Log,
  ) {
    this.header = header.toLowerCase();
  }

  /** Whether any sender is believed at all; without one there is no route. */
  get isOpen(): boolean {
    return !this.signatures.isEmpty;
  }

  /**
   * Takes the events of a webhook in. They are on disk when the promise resolves.
   * @throws BffError `invalid_signature`, `invalid_request`, `unavailable`
   */
  async receive(request: WebhookRequest): Promise<void> {
    const { sender, body } = this.admit(request);
    const events = body.events.map((event) => ({
      ...event,
      trust: sender.trust,
      subscriptionId: body.subscriptionId,
      requestId: request.id,
    }));
    const insertions = await this.store(events);
    this.metrics.request('accepted');
    this.metrics.signedBy(sender.name);
    events.forEach((event, index) => this.report(event, insertions[index]!));
    this.log.debug(
      { requestId: request.id, subscriptionId: body.subscriptionId, events: events.length },
      'webhook stored',
    );
  }

  /** Counts a request that was refused. */
  refuse(error: BffError): void {
    this.metrics.request(error.code);
  }

  private report({ id, type, subscriptionId }: ReceivedEvent, insertion: Insertion): void {
    this.metrics.event(type, insertion);
    if (insertion === 'replaced') {
      this.log.warn({ eventId: id, subscriptionId }, 'a signed event replaced one that came unsigned');
    }
  }

  private admit({ headers, body: raw }: WebhookRequest): { sender: WebhookSender; body: WebhookBody } {
    const bytes = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0);
    const senders = this.signatures.sendersOf(bytes, headers[this.header]);
    if (senders.length === 0) throw new BffError('invalid_signature');
    const body = readWebhookBody(bytes);
    const sender = senders.find((one) => one.speaksFor(body.subscriptionId));
    if (!sender) {
      throw new BffError('invalid_signature', { message: 'signed with the secret of another subscription' });
    }
    return { sender, body };
  }

  private async store(events: readonly ReceivedEvent[]): Promise<readonly Insertion[]> {
    if (events.length === 0) return [];
    try {
      return await this.inbox.put(events);
    } catch (error) {
      throw new BffError('unavailable', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        message: 'webhook not stored',
        cause: error,
      });
    }
  }
}
