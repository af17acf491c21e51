import { createHmac } from 'node:crypto';
import type { EventRecord } from '../data/records.js';
import type { Subscription } from './subscription.js';

/** The body of a webhook request. `hirerId` is sent to signed subscriptions only (interface 13). */
export function makeWebhookBody(subscription: Subscription, events: readonly EventRecord[]): string {
  const { url, signingAlgorithmCode } = subscription.acting;
  const isSigned = signingAlgorithmCode !== 'None';
  return JSON.stringify({
    events: events.map((event) => ({
      id: event.id,
      type: event.type,
      createDateTime: new Date(event.createdMs).toISOString(),
      ...event.members,
      ...(isSigned ? { hirerId: event.hirerId } : {}),
    })),
    subscriptionId: subscription.id,
    url,
  });
}

/** HMAC-SHA-512 over the raw body in lower-case hex; the key is the secret's UTF-8 text. */
export function signWebhookBody(body: string, secret: string): string {
  return createHmac('sha512', secret).update(body, 'utf8').digest('hex');
}
