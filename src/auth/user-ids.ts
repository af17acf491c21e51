import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const PURPOSE = 'partner-bff user id v1';

/**
 * Makes the pseudonym of a user: the same for the same issuer and subject, and telling nothing about them to whoever
 * has not the key.
 */
export class UserIds {
  private readonly key: KeyObject;

  /** @param secret `USER_ID_KEY`; the working key is derived from it, so that it serves nothing else */
  constructor(secret: string) {
    this.key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)));
  }

  /** A UUID of version 8 (RFC 9562, section 5.8). The issuer's length goes first: no two pairs read alike. */
  of(issuer: string, subject: string): string {
    const digest = createHmac('sha256', this.key)
      .update(`${Buffer.byteLength(issuer)}:${issuer}${subject}`)
      .digest();
    digest[6] = (digest[6]! & 0x0f) | 0x80;
    digest[8] = (digest[8]! & 0x3f) | 0x80;
    return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
