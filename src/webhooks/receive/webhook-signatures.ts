import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventTrust } from '../store/webhook-event.js';

/** The current webhook secrets. */
export interface SignatureSecrets {
  /** Newest first. */
  readonly secrets: readonly string[];
  /** Subscriptions with their own secrets, and verified only with those. */
  readonly subscriptionSecrets: readonly { readonly id: string; readonly secret: string }[];
}

/** Which webhooks are accepted. */
export interface SignaturePolicy extends SignatureSecrets {
  readonly algorithm: 'sha256' | 'sha384' | 'sha512';
  /** Subscriptions that are accepted without a signature. */
  readonly unsignedSubscriptions: readonly string[];
}

/** The sender of a webhook. `name` says which secret signed it, and is not the secret. */
export interface WebhookSender {
  readonly name: string;
  readonly trust: Exclude<EventTrust, 'reconciled'>;
  /** Whether this sender may speak for the subscription that its body names. */
  speaksFor(subscriptionId: string | null): boolean;
}

interface Candidate {
  readonly secret: string;
  readonly sender: WebhookSender;
}

/** Verifies signatures over raw bytes, so that nothing from an unknown sender is parsed. */
export class WebhookSignatures {
  private candidates: readonly Candidate[];
  private readonly unsigned: WebhookSender | undefined;
  private readonly hexDigest: RegExp;

  constructor(private readonly policy: SignaturePolicy) {
    const { unsignedSubscriptions: open, algorithm } = policy;
    this.candidates = candidatesOf(policy);
    this.unsigned =
      open.length === 0
        ? undefined
        : { name: 'unsigned', trust: 'unsigned', speaksFor: (id) => id !== null && open.includes(id) };
    this.hexDigest = new RegExp(`^[0-9a-f]{${createHmac(algorithm, '').digest().length * 2}}$`);
  }

  /** Replaces the secrets. */
  use(secrets: SignatureSecrets): void {
    this.candidates = candidatesOf(secrets);
  }

  /** Whether no sender at all is accepted. */
  get isEmpty(): boolean {
    return this.candidates.length === 0 && this.unsigned === undefined;
  }

  /** The senders whose secret verifies `signature` over `body`; none for an invalid signature. */
  sendersOf(body: Buffer, signature: string | string[] | undefined): readonly WebhookSender[] {
    if (signature === undefined) return this.unsigned ? [this.unsigned] : [];
    if (typeof signature !== 'string' || !this.hexDigest.test(signature)) return [];
    const given = Buffer.from(signature, 'hex');
    return this.candidates
      .filter(({ secret }) =>
        timingSafeEqual(given, createHmac(this.policy.algorithm, secret).update(body).digest()),
      )
      .map(({ sender }) => sender);
  }
}

function candidatesOf({ secrets, subscriptionSecrets }: SignatureSecrets): Candidate[] {
  const own = new Set(subscriptionSecrets.map(({ id }) => id));
  const speaksForOthers = (id: string | null): boolean => id === null || !own.has(id);
  return [
    ...secrets.map((secret, index) => ({
      secret,
      sender: { name: `secret ${index + 1}`, trust: 'signed' as const, speaksFor: speaksForOthers },
    })),
    ...subscriptionSecrets.map(({ id, secret }) => ({
      secret,
      sender: {
        name: 'subscription secret',
        trust: 'signed' as const,
        speaksFor: (claimed: string | null) => claimed === id,
      },
    })),
  ];
}
