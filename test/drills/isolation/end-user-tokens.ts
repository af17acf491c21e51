import { createSecretKey } from 'node:crypto';
import type { SeededRandom } from '../../../playground/src/data/random.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { signToken } from '../../support/sign-token.js';
import { all, now, untilSome, type Span, type Verdict } from './model.js';
import type { RotatingSecret } from './rotating-secret.js';
import { ISSUER, type User } from './world.js';

/** `END_USER_AUDIENCE` of the drill. */
export const AUDIENCE = 'partner-bff';

const CLOCK_SKEW_SECONDS = SETTINGS.END_USER_CLOCK_SKEW_SECONDS.fallback;
const LIFE_SECONDS = 7_200;
const SECOND_MS = 1_000;

/** A signed-in user's token, and when it is accepted. */
export interface EndUserToken {
  readonly token: string;
  accepted(span: Span): Verdict;
}

/** End-user tokens: good ones, and some of retired keys, soon or long expired, or of another key. */
export class EndUserTokens {
  private readonly made = new Map<string, EndUserToken>();

  constructor(private readonly secret: RotatingSecret) {}

  of(user: User, random: SeededRandom): EndUserToken {
    const { generation } = this.secret;
    const dice = random.next();
    if (dice < 0.9) return this.long(user, generation);
    if (dice < 0.95) return this.long(user, Math.max(0, generation - random.int(1, 3)));
    if (dice < 0.98) return this.make(user, generation, expiryIn(random.int(-2, 3) - CLOCK_SKEW_SECONDS));
    if (dice < 0.99) return this.make(user, generation, expiryIn(-LIFE_SECONDS));
    const { token } = this.make(user, generation, expiryIn(LIFE_SECONDS), 'another key of thirty-two bytes');
    return { token, accepted: () => 'never' };
  }

  /** One for each user and key, as a signed-in user sends it again and again. */
  private long(user: User, generation: number): EndUserToken {
    const key = `${user.subject} ${generation}`;
    const known = this.made.get(key) ?? this.make(user, generation, expiryIn(LIFE_SECONDS));
    this.made.set(key, known);
    return known;
  }

  private make(user: User, generation: number, exp: number, key?: string): EndUserToken {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: user.subject, iat: exp - LIFE_SECONDS, exp };
    const secret = createSecretKey(Buffer.from(key ?? this.secret.value(generation)));
    const token = signToken({ alg: 'HS256', typ: 'JWT' }, claims, secret);
    const endsAt = (exp + CLOCK_SKEW_SECONDS) * SECOND_MS;
    return {
      token,
      accepted: (span) =>
        all(this.secret.accepts(generation, span), untilSome(endsAt - SECOND_MS, endsAt + SECOND_MS, span)),
    };
  }
}

function expiryIn(seconds: number): number {
  return Math.floor(now() / SECOND_MS) + seconds;
}
