import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Secrets } from '../../config/secrets.js';
import { BffError } from '../../errors/bff-error.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventInbox } from '../store/insert/event-inbox.js';
import { CONFLICT } from '../store/insert/insert-events.js';
import type { Insertion, ReceivedEvent } from '../store/webhook-event.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { UnverifiedBodies } from './unverified-bodies.js';
import { readWebhookBody } from './webhook-body.js';
import { WebhookSignatures } from './webhook-signatures.js';

type ReceiverConfig = Pick<Config, 'WEBHOOK_SIGNATURE_ALGORITHM' | 'WEBHOOK_SIGNATURE_HEADER'>;

/** A request to `POST /webhooks`. */
export interface WebhookRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly body: unknown;
}

/**
 * Receives webhooks: verified over their raw bytes, then parsed, then stored, then acknowledged. Rotated secrets take
 * effect with the next request.
 */
@Injectable()
export class WebhookReceiver {
  /** Every body that is not verified yet, while it arrives. */
  readonly unverified = new UnverifiedBodies();
  private readonly signatures: WebhookSignatures;
  private readonly header: string;

  constructor(
    @Inject(CONFIG) config: ReceiverConfig,
    private readonly secrets: Secrets,
    private readonly inbox: EventInbox,
    private readonly metrics: WebhookMetrics,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.header = config.WEBHOOK_SIGNATURE_HEADER.toLowerCase();
    this.signatures = new WebhookSignatures({
      algorithm: config.WEBHOOK_SIGNATURE_ALGORITHM,
      secrets: secrets.current.WEBHOOK_SECRETS,
    });
    secrets.onChange('WEBHOOK_SECRETS', (values) => this.signatures.use(values.WEBHOOK_SECRETS));
  }

  /** True if there is a secret; otherwise the route is not registered. */
  get isOpen(): boolean {
    return this.secrets.current.WEBHOOK_SECRETS.length > 0;
  }

  /**
   * Stores the events of a webhook. They are on disk when the promise resolves.
   * @throws BffError `invalid_signature`, `invalid_request`, `unavailable`; StoreError
   */
  async receive({ id: requestId, headers, body: raw }: WebhookRequest): Promise<void> {
    const bytes = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0);
    const signature = headers[this.header];
    const signer = this.signatures.signerOf(bytes, signature);
    if (signer < 0) {
      if (this.signatures.isDigest(signature)) this.metrics.mismatched();
      throw new BffError('invalid_signature');
    }
    const { subscriptionId, events } = readWebhookBody(bytes);
    const received = events.map((event) => ({
      ...event,
      trust: 'signed' as const,
      subscriptionId,
      requestId,
    }));
    const insertions = received.length > 0 ? await this.store(received) : [];
    this.metrics.signedBy(`secret ${signer + 1}`);
    received.forEach((event, index) => this.report(event, insertions[index]!));
    this.log.debug({ requestId, subscriptionId, events: events.length }, 'webhook stored');
  }

  private async store(events: readonly ReceivedEvent[]): Promise<readonly Insertion[]> {
    try {
      const insertions = await this.inbox.put(events);
      this.metrics.stored();
      return insertions;
    } catch (error) {
      this.metrics.notStored(error);
      throw error;
    }
  }

  private report({ id, type, subscriptionId }: ReceivedEvent, insertion: Insertion): void {
    this.metrics.event(type, insertion);
    if (insertion === 'conflict') this.log.warn({ eventId: id, subscriptionId }, CONFLICT);
  }
}
