import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';

const PURPOSE = 'partner-bff user id v1';

/** Derives a user's pseudonym: always the same for one issuer and subject, and meaningless without the key. */
@Injectable()
export class UserIds {
  private readonly key: KeyObject;

  /** The working key is derived from `USER_ID_KEY`, so that it serves no other purpose. */
  constructor(@Inject(CONFIG) { USER_ID_KEY: [secret = ''] }: Pick<Config, 'USER_ID_KEY'>) {
    this.key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)));
  }

  /** A UUID of version 8 (RFC 9562 section 5.8). The issuer's length comes first, so that no two pairs read alike. */
  of(issuer: string, subject: string): string {
    const digest = createHmac('sha256', this.key)
      .update(`${Buffer.byteLength(issuer)}:${issuer}${subject}`)
      .digest();
    digest[6] = (digest[6]! & 0x0f) | 0x80;
    digest[8] = (digest[8]! & 0x3f) | 0x80;
    return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
