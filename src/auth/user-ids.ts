import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';

const PURPOSE = 'partner-bff user id v1';

type IdSettings = Pick<Config, 'USER_ID_KEY'> & Partial<Pick<Config, 'MACHINE_SUBJECTS' | 'END_USER_ISSUER'>>;

/**
 * A user's pseudonym: always the same for one issuer and subject, and meaningless without the key. Knows the machines.
 */
@Injectable()
export class UserIds {
  /** Derived from `USER_ID_KEY`; the current one first. */
  private readonly keys: readonly KeyObject[];
  private readonly machines: ReadonlySet<string>;
  private readonly issuers: readonly string[];

  constructor(@Inject(CONFIG) { USER_ID_KEY, MACHINE_SUBJECTS = [], END_USER_ISSUER = [] }: IdSettings) {
    this.issuers = END_USER_ISSUER.length > 0 ? END_USER_ISSUER : [''];
    this.keys = USER_ID_KEY.map((secret) => {
      return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)));
    });
    this.machines = new Set(
      MACHINE_SUBJECTS.map(({ issuer = this.issuerOf(), subject }) => encode(issuer, subject)),
    );
  }

  /**
   * The issuer that an operator means: the one that is named, or the first.
   * @throws BffError `invalid_request` for one that signs nobody in
   */
  issuerOf(named = this.issuers[0]!): string {
    if (this.issuers.includes(named)) return named;
    const message = 'must be one of END_USER_ISSUER';
    throw new BffError('invalid_request', { errors: [{ field: 'issuer', message }] });
  }

  isMachine(issuer: string, subject: string): boolean {
    return this.machines.has(encode(issuer, subject));
  }

  /** A UUID of version 8 (RFC 9562 section 5.8). */
  of(issuer: string, subject: string): string {
    return pseudonym(this.keys[0]!, issuer, subject);
  }

  /** By the previous key, for records that have it; undefined when `USER_ID_KEY` holds one key. */
  previousOf(issuer: string, subject: string): string | undefined {
    const [, previous] = this.keys;
    return previous && pseudonym(previous, issuer, subject);
  }
}

/** The issuer's length comes first, so that no two pairs read alike. */
function encode(issuer: string, subject: string): string {
  return `${Buffer.byteLength(issuer)}:${issuer}${subject}`;
}

function pseudonym(key: KeyObject, issuer: string, subject: string): string {
  const digest = createHmac('sha256', key).update(encode(issuer, subject)).digest();
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
