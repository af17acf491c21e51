import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { compactVerify } from 'jose';
import { Strategy } from 'passport-jwt';
import { Default } from '../config/default.js';
import { CONFIG } from '../config/load-config.js';
import { ALGORITHMS, EDDSA } from '../config/values/public-keys.js';
import { BffError } from '../errors/bff-error.js';
import type { EndUser } from '../http/end-user.js';
import { KeySource } from './keys/key-source.js';
import { checkTokenClaims, type ClaimSettings } from './token-claims.js';
import { TokenFault } from './token-fault.js';
import { claimedHeader, readToken, type ReadToken } from './token-header.js';
import { UserIds } from './user-ids.js';

/** How jsonwebtoken says that another key signed; of an ECDSA signature its length may say so. */
const NOT_OF_KEY = /^invalid signature$|^"ES\d+" signatures must be /;

interface Attempt {
  readonly token: string;
  readonly read: ReadToken;
  readonly key: KeyObject;
}

/**
 * The passport strategy for end-user tokens: passport-jwt verifies the signature, {@link validate} the claims. It holds
 * nothing of a token, so one instance serves any number at a time.
 */
@Injectable()
export class EndUserStrategy extends PassportStrategy(Strategy, 'end-user') {
  constructor(
    private readonly keys: KeySource,
    private readonly userIds: UserIds,
    @Inject(CONFIG) private readonly settings: ClaimSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    super({
      jwtFromRequest: ({ token }: Attempt) => token,
      // jsonwebtoken takes a KeyObject; the typings of passport-jwt know only text and bytes.
      secretOrKeyProvider: ({ key }: Attempt, _token, done) => done(null, key as unknown as Buffer),
      algorithms: ALGORITHMS.filter((name) => name !== EDDSA), // the key source narrows them
      passReqToCallback: true,
      ignoreExpiration: true, // validate checks the times, by a clock of its own
      jsonWebTokenOptions: { ignoreNotBefore: true },
    });
  }

  /** @throws TokenFault; BffError `unavailable` while there are no keys to verify with */
  async verify(token: string): Promise<EndUser> {
    try {
      const read = readToken(token, this.keys.algorithms);
      for await (const key of this.keys.find(read)) {
        const user = await this.verifyBy({ token, read, key });
        if (user) return user;
      }
      throw new TokenFault('wrong_signature');
    } catch (error) {
      if (error instanceof BffError && !(error instanceof TokenFault)) throw error;
      const word = error instanceof TokenFault ? error.word : 'not_verified';
      throw new TokenFault(word, { cause: error, fields: claimedHeader(token) });
    }
  }

  /** Called by passport-jwt for a token whose signature is right. @throws TokenFault */
  validate({ read }: Attempt): EndUser {
    const identity = checkTokenClaims(read, this.settings, Math.floor(this.now() / 1000));
    const { issuer, subject } = identity;
    const isMachine = this.userIds.isMachine(issuer, subject);
    const userId = this.userIds.of(issuer, subject);
    return { ...identity, userId, claims: read.claims, ...(isMachine && { isMachine }) };
  }

  /** The user of the token; undefined if another key has signed it. */
  private async verifyBy(attempt: Attempt): Promise<EndUser | undefined> {
    if (attempt.read.alg === EDDSA) {
      // jsonwebtoken under passport-jwt does not know Ed25519
      const verifying = compactVerify(attempt.token, attempt.key, { algorithms: [EDDSA] });
      return (await verifying.catch(() => undefined)) && this.validate(attempt);
    }
    return new Promise((resolve, reject) => {
      // as passport itself runs a strategy: what it calls in the end is of this run alone
      const run = Object.assign(Object.create(this) as this, {
        success: resolve,
        fail: (reason: Error) => (NOT_OF_KEY.test(reason.message) ? resolve(undefined) : reject(reason)),
        error: reject,
      });
      run.authenticate(attempt as never);
    });
  }
}
