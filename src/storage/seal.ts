import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = IV_BYTES + TAG_BYTES;

/**
 * Authenticated encryption (AES-256-GCM) for what leaves the process: a value opens only under the key that sealed it
 * and only for the purpose it was sealed for. The newest key seals; the previous one still opens.
 */
export class Seal {
  private derived: { readonly from: readonly string[]; readonly keys: readonly KeyObject[] } | undefined;

  /** @param secrets the current `SEALING_KEY`, newest first */
  constructor(
    private readonly secrets: () => readonly string[],
    private readonly use: string,
  ) {}

  /** Derived once for each value of the setting. */
  private get keys(): readonly KeyObject[] {
    const from = this.secrets();
    if (this.derived?.from !== from) this.derived = { from, keys: from.map((secret) => this.derive(secret)) };
    return this.derived.keys;
  }

  /** Not its bytes: Node makes a key of them for each use, which takes twice the time of the encryption. */
  private derive(secret: string): KeyObject {
    return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `partner-bff ${this.use}`, 32)));
  }

  /** @param purpose what the value is for (the cache key): bound to it, not stored in it */
  seal(plain: string, purpose: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0]!, iv).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  /** The value, or undefined when it was not sealed here for this purpose, or was altered. */
  open(sealed: Buffer, purpose: string): string | undefined {
    if (sealed.length < HEAD_BYTES) return undefined;
    const iv = sealed.subarray(0, IV_BYTES);
    for (const key of this.keys) {
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(IV_BYTES, HEAD_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]).toString();
      } catch {
        continue; // not by this key
      }
    }
    return undefined;
  }
}
