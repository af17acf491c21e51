import { signToken } from '../../support/sign-token.js';

/** Secrets of the drill; none of them may stand in the log. */
export const SECRETS = {
  PARTNER_CLIENT_SECRET: 'partner-client-secret-of-the-drill',
  END_USER_SECRET: 'kR4vT8zLq1Wn6Yb3Hs9Xf2Jd7Mc5Pg0A',
  USER_ID_KEY: 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A',
  SEALING_KEY: 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs',
  WEBHOOK_SECRETS: 'webhook-secret-of-the-drill',
  EVENT_SINK_SECRET: 'whsec_b3ZlcmxvYWQtZHJpbGwtc2VjcmV0LW9mLTMyLWI=',
} as const;

export const ISSUER = 'https://identity.drill.example';
export const AUDIENCE = 'https://bff.drill.example';

/** Hirers of the users who work; the attacker is a member of the first. */
export const HIRERS = Array.from({ length: 5 }, (_, n) => `drill:organization:seek:${n}`);

/** One end user, and the hirer they work for. */
export interface Person {
  readonly subject: string;
  readonly hirer: string;
  readonly token: string;
}

const TOKEN_LIFE_SECONDS = 3_600;

/** Signs in one user, who works for one hirer. */
export function signIn(subject: string, hirer: string): Person {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: subject, iat, exp: iat + TOKEN_LIFE_SECONDS };
  const token = signToken({ alg: 'HS256', typ: 'JWT' }, claims, SECRETS.END_USER_SECRET);
  return { subject, hirer, token };
}

/** How tokens of the drill's upstream begin; neither may stand in the log. */
export const TOKEN_PREFIXES = { partner: 'drill-issued-', browser: 'drill-minted-' } as const;
