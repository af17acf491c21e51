import { createHmac, createSecretKey, timingSafeEqual, webcrypto, type KeyObject } from 'node:crypto';
import type { Cancellation } from '../../http/cancellation.js';
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
  /** True if this sender may speak for the subscription that its body names. */
  speaksFor(subscriptionId: string | null): boolean;
}

interface Candidate {
  readonly key: KeyObject;
  /** The senders that sign with this secret. */
  readonly senders: readonly WebhookSender[];
}

/** So much is hashed at once on the thread of the event loop: about a millisecond. */
const BYTES_AT_ONCE = 262_144;

/**
 * Verifies signatures over raw bytes, so that nothing from an unknown sender is parsed. A large body, hashed with each
 * of many secrets, is hashed on another thread: one body at a time, with one secret each in turn, so that it delays the
 * others by little and leaves the other threads to their work.
 */
export class WebhookSignatures {
  private candidates: readonly Candidate[];
  private readonly unsigned: WebhookSender | undefined;
  private readonly hexDigest: RegExp;
  /** Settles when the hash under way on the other thread is done, and those before it. */
  private hashed: Promise<unknown> = Promise.resolve();

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

  /** True if no sender at all is accepted. */
  get isEmpty(): boolean {
    return this.candidates.length === 0 && this.unsigned === undefined;
  }

  /**
   * The senders whose secret verifies `signature` over `body`; none for an invalid signature.
   * @param cutting ends the work between two hashes, with its reason
   */
  async sendersOf(
    body: Buffer,
    signature: string | string[] | undefined,
    cutting?: Cancellation,
  ): Promise<readonly WebhookSender[]> {
    if (signature === undefined) return this.unsigned ? [this.unsigned] : [];
    if (typeof signature !== 'string' || !this.hexDigest.test(signature)) return [];
    const given = Buffer.from(signature, 'hex');
    const { candidates } = this;
    const isSmall = body.length * candidates.length <= BYTES_AT_ONCE;
    for (const { key, senders } of candidates) {
      cutting?.throwIfCancelled();
      const isTheirs = isSmall ? this.verify(key, given, body) : await this.verifyInTurn(key, given, body);
      if (isTheirs) return senders;
    }
    return [];
  }

  private verify(key: KeyObject, given: Buffer, body: Buffer): boolean {
    return timingSafeEqual(given, createHmac(this.policy.algorithm, key).update(body).digest());
  }

  private verifyInTurn(key: KeyObject, given: Buffer, body: Buffer): Promise<boolean> {
    const algorithm = { name: 'HMAC', hash: this.policy.algorithm.replace('sha', 'SHA-') };
    const work = this.hashed.then(() =>
      webcrypto.subtle.verify(algorithm, key.toCryptoKey(algorithm, false, ['verify']), given, body),
    );
    this.hashed = work.catch(() => undefined);
    return work;
  }
}

/** Each secret once, however many senders have it. */
function candidatesOf({ secrets, subscriptionSecrets }: SignatureSecrets): Candidate[] {
  const own = new Set(subscriptionSecrets.map(({ id }) => id));
  const speaksForOthers = (id: string | null): boolean => id === null || !own.has(id);
  const senders = new Map<string, WebhookSender[]>();
  const add = (secret: string, sender: WebhookSender): void => {
    senders.set(secret, [...(senders.get(secret) ?? []), sender]);
  };
  for (const [index, secret] of secrets.entries()) {
    add(secret, { name: `secret ${index + 1}`, trust: 'signed', speaksFor: speaksForOthers });
  }
  for (const { id, secret } of subscriptionSecrets) {
    add(secret, { name: 'subscription secret', trust: 'signed', speaksFor: (claimed) => claimed === id });
  }
  return [...senders].map(([secret, of]) => ({ key: createSecretKey(Buffer.from(secret)), senders: of }));
}
