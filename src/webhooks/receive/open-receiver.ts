import type { Config } from '../../config/load-config.js';
import type { Secrets, SecretValues } from '../../config/secrets.js';
import type { Log } from '../../telemetry/log.js';
import type { EventInbox } from '../store/event-inbox.js';
import type { WebhookMetrics } from '../webhook-metrics.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { WebhookSignatures, type SignatureSecrets } from './webhook-signatures.js';

/** The receiver, which follows the secrets as they are rotated. */
export function openReceiver(
  config: Config,
  secrets: Secrets,
  inbox: EventInbox,
  metrics: WebhookMetrics,
  log: Log,
): WebhookReceiver {
  const signatures = new WebhookSignatures({
    algorithm: config.WEBHOOK_SIGNATURE_ALGORITHM,
    unsignedSubscriptions: config.WEBHOOK_UNSIGNED_SUBSCRIPTIONS,
    ...secretsOf(config),
  });
  const follow = (values: SecretValues): void => signatures.use(secretsOf(values));
  secrets.onChange('WEBHOOK_SECRETS', follow);
  secrets.onChange('WEBHOOK_SUBSCRIPTION_SECRETS', follow);
  return new WebhookReceiver(signatures, config.WEBHOOK_SIGNATURE_HEADER, inbox, metrics, log);
}

function secretsOf(values: SecretValues): SignatureSecrets {
  return { secrets: values.WEBHOOK_SECRETS, subscriptionSecrets: values.WEBHOOK_SUBSCRIPTION_SECRETS };
}
