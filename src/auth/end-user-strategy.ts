import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { compactVerify } from 'jose';
import { Strategy } from 'passport-jwt';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { ALGORITHMS, EDDSA } from '../config/values/algorithms.js';
import { KeySource } from './keys/key-source.js';
import { checkTokenClaims, type ClaimRules, type TokenClaims } from './token-claims.js';
import { TokenFault } from './token-fault.js';
import { checkTokenHeader, claimedHeader, type TokenHeader } from './token-header.js';

/** A token that passed every check. */
export interface VerifiedToken extends TokenClaims {
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The value that passport hands to the strategy as the request: everything that belongs to one token. */
export interface TokenCheck {
  readonly token: string;
  /** Set by the first attempt. */
  header?: TokenHeader;
  /** Keys that fit the token and have not been tried; undefined before the first attempt. */
  untriedKeys?: KeyObject[];
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
 * The passport strategy for end-user tokens. Before a key is chosen the header is checked, and the key is one that the
 * key source allows for the header's algorithm; passport-jwt then verifies the signature, and {@link validate} the
 * claims. Holds nothing of a token, so that one instance verifies any number at a time.
 */
@Injectable()
export class EndUserStrategy extends PassportStrategy(Strategy, 'end-user') {
  private readonly rules: ClaimRules;
  private readonly now: () => number;

  constructor(
    private readonly keys: KeySource,
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
      algorithms: ALGORITHMS.filter((name) => name !== EDDSA), // the key source narrows them, see nextKey
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
    if (!isEdDsa(check.token)) {
      super.authenticate(...args);
      return;
    }
    verifyEdDsa(check, this.keys)
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
    const checked = checkTokenClaims(claims, this.rules, nowSeconds, header?.isAccessToken ?? false);
    return { claims, ...checked };
  }
}

function isEdDsa(token: string): boolean {
  return claimedHeader(token)['alg'] === EDDSA;
}

/** The claims of a token with an Ed25519 signature. @throws TokenFault; SyntaxError for claims that are not JSON */
async function verifyEdDsa(check: TokenCheck, keys: KeySource): Promise<Record<string, unknown>> {
  const key = await nextKey(check, keys);
  const { payload } = await compactVerify(check.token, key, { algorithms: [EDDSA] }).catch(() => {
    throw new TokenFault('wrong_signature');
  });
  return JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, unknown>;
}

/** @throws TokenFault when the header is refused or no key is left; BffError `unavailable` while there are no keys */
async function nextKey(check: TokenCheck, keys: KeySource): Promise<KeyObject> {
  check.header ??= checkTokenHeader(check.token, keys.algorithms);
  check.untriedKeys ??= [...(await keys.find(check.header))];
  const key = check.untriedKeys.shift();
  if (!key) throw new TokenFault('unknown_key');
  return key;
}
