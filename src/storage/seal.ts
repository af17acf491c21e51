import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const HEAD_BYTES = KEY_ID_BYTES + IV_BYTES + TAG_BYTES;

interface SealKey {
  readonly id: Buffer;
  /** Not its bytes: Node makes a key of them for each use, which takes twice the time of the encryption. */
  readonly key: KeyObject;
}

/**
 * Authenticated encryption (AES-256-GCM) for what leaves the process: a value opens only under the key that sealed it
 * and only for the purpose it was sealed for. The newest key seals; the previous one still opens.
 */
export class Seal {
  private derived: { readonly from: readonly string[]; readonly keys: readonly SealKey[] } | undefined;

  /** @param secrets the current `SEALING_KEY`, newest first */
  constructor(
    private readonly secrets: () => readonly string[],
    private readonly use: string,
  ) {}

  /** Derived once for each value of the setting. */
  private get keys(): readonly SealKey[] {
    const from = this.secrets();
    if (this.derived?.from !== from) this.derived = { from, keys: from.map((secret) => this.derive(secret)) };
    return this.derived.keys;
  }

  private derive(secret: string): SealKey {
    const bytes = Buffer.from(hkdfSync('sha256', secret, '', `partner-bff ${this.use}`, 32));
    const id = hash('sha256', bytes, 'buffer').subarray(0, KEY_ID_BYTES);
    return { id, key: createSecretKey(bytes) };
  }

  /** @param purpose what the value is for (the cache key): bound to it, not stored in it */
  seal(plain: string, purpose: string): Buffer {
    const { id, key } = this.keys[0]!;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([id, iv, cipher.getAuthTag(), body]);
  }

  /** The value, or undefined when it was not sealed here for this purpose, or was altered. */
  open(sealed: Buffer, purpose: string): string | undefined {
    const key = this.keys.find(({ id }) => id.equals(sealed.subarray(0, KEY_ID_BYTES)))?.key;
    if (!key || sealed.length < HEAD_BYTES) return undefined;
    const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(sealed.subarray(KEY_ID_BYTES + IV_BYTES, HEAD_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
