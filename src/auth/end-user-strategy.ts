import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { Default } from '../config/default.js';
import { CONFIG } from '../config/load-config.js';
import { ALGORITHMS, EDDSA } from '../config/values/public-keys.js';
import { checkTokenClaims, type ClaimSettings, type VerifiedToken } from './token-claims.js';
import type { TokenHeader } from './token-header.js';

/** The value that passport hands to the strategy as the request: a token, and one key to verify it with. */
export interface TokenCheck {
  readonly token: string;
  readonly header: TokenHeader;
  /** Fits the header. */
  readonly key: KeyObject;
}

/**
 * The passport strategy for end-user tokens: passport-jwt verifies the signature, {@link validate} the claims. Holds nothing
 * of a token, so that one instance verifies any number at a time.
 */
@Injectable()
export class EndUserStrategy extends PassportStrategy(Strategy, 'end-user') {
  constructor(
    @Inject(CONFIG) private readonly settings: ClaimSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    super({
      jwtFromRequest: ({ token }: TokenCheck) => token,
      // jsonwebtoken takes a KeyObject; the typings of passport-jwt know only text and bytes.
      secretOrKeyProvider: ({ key }: TokenCheck, _token, done) => done(null, key as unknown as Buffer),
      algorithms: ALGORITHMS.filter((name) => name !== EDDSA), // the key source narrows them
      passReqToCallback: true,
      ignoreExpiration: true, // validate checks the times, by a clock of its own
      jsonWebTokenOptions: { ignoreNotBefore: true },
    });
  }

  /** @throws TokenFault */
  validate({ header }: Pick<TokenCheck, 'header'>, claims: Record<string, unknown>): VerifiedToken {
    const nowSeconds = Math.floor(this.now() / 1000);
    return checkTokenClaims(claims, this.settings, nowSeconds, header.isAccessToken);
  }
}
