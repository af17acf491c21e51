import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';

const PURPOSE = 'partner-bff user id v1';

/** Derives a user's pseudonym: always the same for one issuer and subject, and meaningless without the key. */
@Injectable()
export class UserIds {
  private readonly key: KeyObject;
  private readonly previousKey: KeyObject | undefined;

  /** The working keys are derived from `USER_ID_KEY`, so that they serve no other purpose. */
  constructor(@Inject(CONFIG) { USER_ID_KEY: [secret = '', previous] }: Pick<Config, 'USER_ID_KEY'>) {
    this.key = workingKey(secret);
    this.previousKey = previous === undefined ? undefined : workingKey(previous);
  }

  /** A UUID of version 8 (RFC 9562 section 5.8). The issuer's length comes first, so that no two pairs read alike. */
  of(issuer: string, subject: string): string {
    return pseudonym(this.key, issuer, subject);
  }

  /** The pseudonym by the previous key, for records that have it; undefined when `USER_ID_KEY` holds one key. */
  previousOf(issuer: string, subject: string): string | undefined {
    return this.previousKey && pseudonym(this.previousKey, issuer, subject);
  }
}

function workingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)));
}

function pseudonym(key: KeyObject, issuer: string, subject: string): string {
  const digest = createHmac('sha256', key)
    .update(`${Buffer.byteLength(issuer)}:${issuer}${subject}`)
    .digest();
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
