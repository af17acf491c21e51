import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { compactVerify } from 'jose';
import { Strategy } from 'passport-jwt';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { ALGORITHMS, EDDSA } from '../config/values/algorithms.js';
import { checkTokenClaims, type ClaimRules, type TokenClaims } from './token-claims.js';
import { TokenFault } from './token-fault.js';
import type { TokenHeader } from './token-header.js';

/** A token that passed every check. */
export interface VerifiedToken extends TokenClaims {
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The value that passport hands to the strategy as the request: a token, and one key to verify it with. */
export interface TokenCheck {
  readonly token: string;
  readonly header: TokenHeader;
  /** Fits the header. */
  readonly key: KeyObject;
}

/** Which tokens are accepted, whatever key signed them. Issuer and audience are not checked when unset (playground). */
type TokenSettings = Pick<
  Config,
  | 'END_USER_ISSUER'
  | 'END_USER_AUDIENCE'
  | 'END_USER_AUDIENCE_CLAIM'
  | 'END_USER_TOKEN_MAX_AGE_SECONDS'
  | 'END_USER_CLOCK_SKEW_SECONDS'
  | 'END_USER_REQUIRED_CLAIM'
>;

/**
 * The passport strategy for end-user tokens: passport-jwt verifies the signature, {@link validate} the claims. Holds nothing
 * of a token, so that one instance verifies any number at a time.
 */
@Injectable()
export class EndUserStrategy extends PassportStrategy(Strategy, 'end-user') {
  private readonly rules: ClaimRules;
  private readonly now: () => number;

  constructor(@Inject(CONFIG) settings: TokenSettings, @Default() now: () => number = Date.now) {
    super({
      jwtFromRequest: ({ token }: TokenCheck) => token,
      // jsonwebtoken takes a KeyObject; the typings of passport-jwt know only text and bytes.
      secretOrKeyProvider: ({ key }: TokenCheck, _token, done) => done(null, key as unknown as Buffer),
      algorithms: ALGORITHMS.filter((name) => name !== EDDSA), // the key source narrows them
      passReqToCallback: true,
      ignoreExpiration: true, // validate checks the times
      jsonWebTokenOptions: { ignoreNotBefore: true },
    });
    this.rules = {
      issuers: settings.END_USER_ISSUER,
      audiences: settings.END_USER_AUDIENCE,
      audienceClaim: settings.END_USER_AUDIENCE_CLAIM,
      ageSecondsMax: settings.END_USER_TOKEN_MAX_AGE_SECONDS,
      skewSeconds: settings.END_USER_CLOCK_SKEW_SECONDS,
      requiredClaim: settings.END_USER_REQUIRED_CLAIM,
    };
    this.now = now;
  }

  /** Passport calls it on an object derived from this one. jsonwebtoken, with which passport-jwt verifies, has no EdDSA. */
  override authenticate(...args: Parameters<Strategy['authenticate']>): void {
    const check = args[0] as unknown as TokenCheck; // what the authenticator runs it with
    if (check.header.alg !== EDDSA) {
      super.authenticate(...args);
      return;
    }
    verifyEdDsa(check)
      .then((claims) => this.validate(check, claims))
      .then(
        (verified) => this.success(verified),
        (error: Error) => this.fail(error as never, 401),
      );
  }

  /**
   * Checks the claims, times included: passport-jwt has no clock that can be set for each token.
   * @throws TokenFault
   */
  validate({ header }: TokenCheck, claims: Record<string, unknown>): VerifiedToken {
    const nowSeconds = Math.floor(this.now() / 1000);
    const checked = checkTokenClaims(claims, this.rules, nowSeconds, header.isAccessToken);
    return { claims, ...checked };
  }
}

/** The claims of a token with an Ed25519 signature. @throws TokenFault; SyntaxError for claims that are not JSON */
async function verifyEdDsa({ token, key }: TokenCheck): Promise<Record<string, unknown>> {
  const { payload } = await compactVerify(token, key, { algorithms: [EDDSA] }).catch(() => {
    throw new TokenFault('wrong_signature');
  });
  return JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, unknown>;
}
