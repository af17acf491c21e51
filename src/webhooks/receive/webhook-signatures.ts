import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** How webhooks are signed. */
interface SignaturePolicy {
  readonly algorithm: 'sha256' | 'sha384' | 'sha512';
  /** Newest first; few, since every body of a stranger is hashed with each. */
  readonly secrets: readonly string[];
}

/** Verifies signatures over raw bytes, so that nothing from an unknown sender is parsed. */
export class WebhookSignatures {
  private keys: readonly KeyObject[] = [];
  private readonly hexDigest: RegExp;

  constructor(private readonly policy: SignaturePolicy) {
    this.use(policy.secrets);
    this.hexDigest = new RegExp(`^[0-9a-f]{${createHmac(policy.algorithm, '').digest().length * 2}}$`);
  }

  /** Replaces the secrets. */
  use(secrets: readonly string[]): void {
    this.keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  }

  /** True if this has the form of a signature. */
  isDigest(signature: unknown): signature is string {
    return typeof signature === 'string' && this.hexDigest.test(signature);
  }

  /** The place of the secret that verifies `signature` over `body`, from 0; -1 for an invalid signature. */
  signerOf(body: Buffer, signature: string | string[] | undefined): number {
    if (!this.isDigest(signature)) return -1;
    const given = Buffer.from(signature, 'hex');
    return this.keys.findIndex((key) =>
      timingSafeEqual(given, createHmac(this.policy.algorithm, key).update(body).digest()),
    );
  }
}
