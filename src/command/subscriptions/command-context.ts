import type { Output } from '../command.js';
import type { ReceivedEvents } from './received-events.js';
import type { Subscription, UpstreamSubscriptions } from './upstream-subscriptions.js';

/** What a subcommand works with. */
export interface CommandContext extends Output {
  readonly upstream: UpstreamSubscriptions;
  readonly received: ReceivedEvents;
  readonly secrets: WebhookSettings;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The settings by which the service verifies webhooks. */
export interface WebhookSettings {
  readonly WEBHOOK_SECRETS: readonly string[];
}

/** A subscription as a row: tabs between its members. */
export function rowOf({ type, hirerId, id, url, isSigned, maxEvents }: Subscription): string {
  return [type, hirerId ?? 'every hirer', isSigned ? 'signed' : 'unsigned', maxEvents, url, id].join('\t');
}

/** Those that match the options of a command; all without any. */
export function select(
  subscriptions: readonly Subscription[],
  { url, types, hirer, subscription }: Selection,
): Subscription[] {
  return subscriptions.filter(
    (one) =>
      (url === undefined || one.url === url) &&
      (types === undefined || types.includes(one.type)) &&
      (hirer === undefined || one.hirerId === hirer) &&
      (subscription === undefined || one.id === subscription),
  );
}

/** Which subscriptions a command is for. */
export interface Selection {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly hirer?: string | undefined;
  readonly subscription?: string | undefined;
}
