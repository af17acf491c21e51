import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { ALGORITHMS } from '../config/algorithms.js';
import { KeySource } from './key-source.js';
import { checkTokenClaims, type TokenClaims } from './token-claims.js';
import { TokenFault } from './token-fault.js';
import { checkTokenHeader } from './token-header.js';

/** A token that passed every check. */
export interface VerifiedToken extends TokenClaims {
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The value that passport hands to the strategy as the request: everything that belongs to one token. */
export interface TokenCheck {
  readonly token: string;
  /** Keys that fit the token and have not been tried; undefined before the first attempt. */
  untriedKeys?: KeyObject[];
}

/** Which tokens are accepted, whatever key signed them. Issuer and audience are not checked when unset (playground). */
type TokenSettings = Pick<Config, 'END_USER_ISSUER' | 'END_USER_AUDIENCE' | 'END_USER_TOKEN_MAX_AGE_SECONDS'>;

/**
 * The passport strategy for end-user tokens. Before a key is chosen the header is checked, and the key is one that the
 * key source allows for the header's algorithm; passport-jwt then verifies signature, issuer and audience, and
 * {@link validate} the other claims. Holds nothing of a token, so that one instance verifies any number at a time.
 */
@Injectable()
export class EndUserStrategy extends PassportStrategy(Strategy, 'end-user') {
  private readonly ageSecondsMax: number;
  private readonly now: () => number;

  constructor(
    keys: KeySource,
    @Inject(CONFIG) settings: TokenSettings,
    @Default() now: () => number = Date.now,
  ) {
    super({
      jwtFromRequest: ({ token }: TokenCheck) => token,
      secretOrKeyProvider: (check: TokenCheck, _token, done) =>
        void nextKey(check, keys)
          // jsonwebtoken takes a KeyObject; the typings of passport-jwt know only text and bytes.
          .then((key) => done(null, key as unknown as Buffer))
          .catch(done), // also what jsonwebtoken throws, which would otherwise end the process
      algorithms: [...ALGORITHMS], // the key source narrows them, see nextKey
      issuer: settings.END_USER_ISSUER,
      audience: settings.END_USER_AUDIENCE,
      ignoreExpiration: true, // validate checks the times
      jsonWebTokenOptions: { ignoreNotBefore: true },
    });
    this.ageSecondsMax = settings.END_USER_TOKEN_MAX_AGE_SECONDS;
    this.now = now;
  }

  /**
   * Checks the claims that passport-jwt leaves open, times included: it has no clock that can be set for each token.
   * @throws TokenFault
   */
  validate(claims: Record<string, unknown>): VerifiedToken {
    const nowSeconds = Math.floor(this.now() / 1000);
    return { claims, ...checkTokenClaims(claims, { ageSecondsMax: this.ageSecondsMax, nowSeconds }) };
  }
}

/** @throws TokenFault when the header is refused or no key is left; BffError `unavailable` while there are no keys */
async function nextKey(check: TokenCheck, keys: KeySource): Promise<KeyObject> {
  check.untriedKeys ??= [...(await keys.find(checkTokenHeader(check.token, keys.algorithms)))];
  const key = check.untriedKeys.shift();
  if (!key) throw new TokenFault('unknown_key');
  return key;
}
