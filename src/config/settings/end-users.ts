import { ALGORITHMS, readPublicKeys, type Algorithm } from '../values/public-keys.js';
import { KEY, readKeyLines, readKeys } from '../values/keys.js';
import { MEMBER_PLACE } from '../../json/member-at.js';
import {
  integer,
  list,
  listOf,
  setting,
  textLike,
  TOKEN,
  url,
  type Reading,
  type Setting,
} from '../values/setting.js';

/** Headers that mean something to every HTTP server, or to the service: as a place for the token they would lose it. */
const TAKEN_HEADER =
  /^(authorization|cookie|host|origin|connection|accept|content-.*|transfer-.*|accept-.*|last-event-id|sec-.*|trace.*|x-csrf|x-(hirer|request|session)-id|x-refused-token|x-forwarded-(for|host|proto)|access-control-.*)$/;

const SUBJECT_BYTES_MAX = 255;

/** A claim that tells an access token from an ID token. */
export interface RequiredClaim {
  /** See `memberAt`. */
  readonly place: string;
  /** Undefined where any value will do. */
  readonly value: string | undefined;
}

/** Settings of end users: how their tokens are verified, their pseudonym, and how much one may ask for. */
export const END_USERS = {
  END_USER_JWKS_URL: url(['http', 'https'], {
    plainHttp: true, // of `HTTP_HOSTS`, see `plainHttpFaults`
    fallback: undefined,
    text: 'JWK set that verifies end-user tokens. At most one of this, `END_USER_PUBLIC_KEY` and `END_USER_SECRET`; without any, OpenID discovery at the issuer names the JWK set.',
  }),
  END_USER_PUBLIC_KEY: setting('PEM (SPKI), JWK or JWK set', readPublicKeys, {
    fallback: [],
    hasLines: true,
    text: 'Public key that verifies end-user tokens. During a rotation, give several: PEM blocks one after the other, or a JWK set.',
  }),
  END_USER_SECRET: setting(`${KEY}; the previous one may follow on a second line`, readKeyLines, {
    fallback: [],
    secret: true,
    hasLines: true,
    text: 'Shared secret that verifies end-user tokens (HMAC). Prefer a public key: anyone who knows this secret can forge tokens. During a rotation, add the previous secret on a second line.',
  }),
  END_USER_ISSUER: list('issuers, each the address before `/.well-known/`', /^(?!.*\/\.well-known\/)/, {
    fallback: [],
    text: 'Exact `iss` of end-user tokens. Required outside playground mode. Several issuers, separated by commas, are found by discovery; each signs in its own users, and a token is verified with the keys of its own issuer only. Ops routes and commands mean the first unless they name another.',
  }),
  END_USER_AUDIENCE: list('audiences', /./, {
    fallback: [],
    text: 'Exact audiences: a token names at least one of them. Required outside playground mode.',
  }),
  END_USER_AUDIENCE_CLAIM: textLike('claim name or JSON pointer', MEMBER_PLACE, {
    fallback: 'aud',
    text: 'Claim that names the audience: `client_id` or `azp` for an issuer whose access tokens have no `aud`. A claim within others is a JSON pointer (RFC 6901).',
  }),
  END_USER_ALGORITHMS: listOf('list of JWS algorithms', readAlgorithm, {
    fallback: [],
    fallbackText: 'by key type',
    text: 'Signature algorithms accepted; the token never chooses. By default RS256, PS256, ES256 and EdDSA for a JWK set, those of the key for a public key, HS256 for a secret.',
  }),
  END_USER_CLOCK_SKEW_SECONDS: integer(0, 300, 'seconds', {
    fallback: 30,
    text: 'How far the clocks of issuer and service may differ when `exp`, `nbf` and `iat` are checked.',
  }),
  END_USER_REQUIRED_CLAIM: setting(
    '`claim` or `claim=value`, the claim a name or a JSON pointer',
    readRequiredClaim,
    {
      fallback: undefined,
      text: 'Claim that every access token of the issuer has, and none of its ID tokens; with a value, the claim is that value or a list that holds it. Where it is set, it alone tells the two apart; tokens that `typ` or `token_use` marks as refresh, offline or logout tokens are refused all the same. For issuers that mark neither, see [identity-providers.md](identity-providers.md#any-openid-provider).',
    },
  ),
  END_USER_COOKIE: textLike('cookie name', TOKEN, {
    fallback: undefined,
    text: 'Name of a cookie that may hold the end-user token instead of the Authorization header. Every request but GET and HEAD then needs `X-CSRF: 1` and an `Origin` that is in `CORS_ORIGINS` or our own.',
  }),
  END_USER_TOKEN_HEADER: setting('header name', readTokenHeader, {
    fallback: undefined,
    text: 'Header in which a proxy of `TRUST_PROXY` adds the access token, bare or with `Bearer`, such as `X-Forwarded-Access-Token` of oauth2-proxy. It counts before Authorization; from anyone else it is not read. See [identity-providers.md](identity-providers.md#behind-oauth2-proxy).',
  }),
  USER_ID_KEY: setting(`${KEY}; the previous one may follow after a comma`, readKeys, {
    fallback: [],
    secret: true,
    fallbackText: 'generated and kept in `DATA_DIR` in playground mode, else required',
    text: 'Key of the pseudonym (`userId`) by which the upstream knows an end user. Changing it changes every pseudonym: the upstream takes every user for a new one. With the previous key, searches also find the records under the previous pseudonyms; it serves nothing else.',
  }),
  MACHINE_SUBJECTS: listOf('list of subjects, each `subject` or `issuer#subject`', readMachineSubject, {
    fallback: [],
    text: "Subjects (`sub`) whose tokens are of machines: back ends of the partner's own, which may call registered operations for every hirer. See [back-ends.md](back-ends.md#machines).",
  }),
  RATE_LIMIT_REQUESTS_PER_MINUTE: integer(0, 1_000_000, 'requests; 0 disables the limit', {
    fallback: 600,
    text: 'Requests of one user, those for a cached token included; each item of a batch counts.',
  }),
  RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE: integer(0, 1_000_000, 'requests; 0 disables the limit', {
    fallback: 6_000,
    text: "Requests of one machine, in place of the users' limit.",
  }),
  RATE_LIMIT_MINTS_PER_MINUTE: integer(0, 1_000_000, 'mints; 0 disables the limit', {
    fallback: 30,
    text: 'Browser tokens requested from the upstream for one user and hirer.',
  }),
  USER_IN_FLIGHT_MAX: integer(1, 100_000, 'operations', {
    fallback: 64,
    text: 'Most concurrent GraphQL operations of one user; each item of an array counts. Further ones are answered 429, and an array of more is sent when none of the user is.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

function readAlgorithm(name: string): Reading<Algorithm> {
  const value = ALGORITHMS.find((known) => known === name);
  return value === undefined ? { fault: 'is not a valid JWS algorithm' } : { value };
}

/** In lower case, as Node has them. */
function readTokenHeader(text: string): Reading<string> {
  const name = text.toLowerCase();
  return TOKEN.test(name) && !TAKEN_HEADER.test(name)
    ? { value: name }
    : { fault: 'must be the name of a header that means nothing else to the service' };
}

function readRequiredClaim(text: string): Reading<RequiredClaim> {
  const at = text.indexOf('=');
  const place = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? undefined : text.slice(at + 1);
  return MEMBER_PLACE.test(place) && value !== ''
    ? { value: { place, value } }
    : { fault: 'must be a claim name or JSON pointer, or one of these, = and a value' };
}

/** What follows the first `#`, which no issuer holds, is the subject; without one, the first issuer is meant. */
function readMachineSubject(entry: string): Reading<{ issuer: string | undefined; subject: string }> {
  const at = entry.indexOf('#');
  const [issuer, subject] = [at < 0 ? undefined : entry.slice(0, at), entry.slice(at + 1)];
  const fits = subject !== '' && Buffer.byteLength(subject) <= SUBJECT_BYTES_MAX;
  return issuer !== '' && fits
    ? { value: { issuer, subject } }
    : { fault: 'must be a subject of 1 to 255 bytes, or issuer#subject' };
}
