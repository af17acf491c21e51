import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Secrets, type SecretValues } from '../../config/secrets.js';
import { BffError } from '../../errors/bff-error.js';
import { VALUES_MAX } from '../../json/parse-json-object.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventInbox } from '../store/insert/event-inbox.js';
import type { Insertion } from '../store/insert/insert-events.js';
import type { ReceivedEvent } from '../store/webhook-event.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { UnverifiedBodies } from './unverified-bodies.js';
import { readWebhookBody, type WebhookBody } from './webhook-body.js';
import { WebhookSignatures, type SignatureSecrets, type WebhookSender } from './webhook-signatures.js';

/** Of a webhook that anyone may have sent: each event costs time, and a body holds hundreds of thousands. */
const UNSIGNED_EVENTS_MAX = 1_000;

type ReceiverConfig = Pick<
  Config,
  | 'WEBHOOK_SIGNATURE_ALGORITHM'
  | 'WEBHOOK_SIGNATURE_HEADER'
  | 'WEBHOOK_UNSIGNED_SUBSCRIPTIONS'
  | 'webhooksOfPlayground'
>;

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
  /** Every body that is not verified yet: while it arrives, and while it waits for its hashes. */
  readonly unverified = new UnverifiedBodies();
  private readonly signatures: WebhookSignatures;
  private readonly header: string;
  private readonly refusal: 'invalid_signature' | 'not_found';

  constructor(
    @Inject(CONFIG) config: ReceiverConfig,
    secrets: Secrets,
    private readonly inbox: EventInbox,
    private readonly metrics: WebhookMetrics,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.header = config.WEBHOOK_SIGNATURE_HEADER.toLowerCase();
    this.refusal = config.webhooksOfPlayground ? 'not_found' : 'invalid_signature';
    this.signatures = new WebhookSignatures({
      algorithm: config.WEBHOOK_SIGNATURE_ALGORITHM,
      unsignedSubscriptions: config.WEBHOOK_UNSIGNED_SUBSCRIPTIONS,
      ...secretsOf(secrets.current),
    });
    const follow = (values: SecretValues): void => this.signatures.use(secretsOf(values));
    secrets.onChange('WEBHOOK_SECRETS', follow);
    secrets.onChange('WEBHOOK_SUBSCRIPTION_SECRETS', follow);
  }

  /** True if any sender is accepted at all; otherwise the route is not registered. */
  get isOpen(): boolean {
    return !this.signatures.isEmpty;
  }

  /**
   * Stores the events of a webhook. They are on disk when the promise resolves.
   * @throws BffError `invalid_signature`, or `not_found` if nobody but the playground could have signed it;
   *   `invalid_request`, `unavailable`; StoreError
   */
  async receive(request: WebhookRequest): Promise<void> {
    const { sender, body } = await this.admit(request);
    const events = body.events.map((event) => ({
      ...event,
      trust: sender.trust,
      subscriptionId: body.subscriptionId,
      requestId: request.id,
    }));
    const insertions = events.length > 0 ? await this.inbox.put(events) : [];
    this.metrics.signedBy(sender.name);
    events.forEach((event, index) => this.report(event, insertions[index]!));
    this.log.debug(
      { requestId: request.id, subscriptionId: body.subscriptionId, events: events.length },
      'webhook stored',
    );
  }

  private report({ id, type, subscriptionId }: ReceivedEvent, insertion: Insertion): void {
    this.metrics.event(type, insertion);
    if (insertion === 'replaced') {
      this.log.warn({ eventId: id, subscriptionId }, 'a signed event replaced an unsigned one');
    }
  }

  private async admit({
    headers,
    body: raw,
  }: WebhookRequest): Promise<{ sender: WebhookSender; body: WebhookBody }> {
    const bytes = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0);
    const senders = await this.unverified.hold(bytes.length, (cutting) =>
      this.signatures.sendersOf(bytes, headers[this.header], cutting),
    );
    if (senders.length === 0) throw new BffError(this.refusal);
    const isSigned = senders.some(({ trust }) => trust === 'signed');
    const body = isSigned ? readWebhookBody(bytes) : readWebhookBody(bytes, UNSIGNED_EVENTS_MAX, VALUES_MAX);
    const sender = senders.find((one) => one.speaksFor(body.subscriptionId));
    if (!sender) {
      throw new BffError('invalid_signature', { message: 'signed with the secret of another subscription' });
    }
    return { sender, body };
  }
}

function secretsOf(values: SecretValues): SignatureSecrets {
  return { secrets: values.WEBHOOK_SECRETS, subscriptionSecrets: values.WEBHOOK_SUBSCRIPTION_SECRETS };
}
