import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import type { Algorithm } from '../config/values/public-keys.js';
import type { KeyHint } from './keys/key-source.js';
import { TokenFault } from './token-fault.js';

/** With `at+`, an access token (RFC 9068 section 2.1). */
const TYPE = /^(?:application\/)?(at\+)?jwt$/i;
/** Members that would supply a key, or change how the signature is made (RFC 7515 section 4.1, RFC 7797). */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'];
const SHOWN = /^[\x20-\x7e]{1,100}$/;

/** What a token says, not verified. */
export interface ReadToken extends KeyHint {
  readonly claims: Readonly<Record<string, unknown>>;
  /** True if `typ` says that this is an access token; other tokens may be one too. */
  readonly isAccessToken: boolean;
}

/**
 * Reads a token, and checks what does not depend on its signature: a compact JWS in canonical base64url, a pinned
 * algorithm, and no header member that asks for more (RFC 8725 sections 3.1, 3.11).
 * @throws TokenFault
 */
export function readToken(token: string, algorithms: readonly Algorithm[]): ReadToken {
  const { header, claims } = decode(token);
  const { alg, kid, typ = 'JWT' } = header;
  const pinned = algorithms.find((name) => name === alg);
  if (pinned === undefined) throw new TokenFault('algorithm_not_accepted');
  if (token.endsWith('.')) throw new TokenFault('wrong_signature');
  const type = typeof typ === 'string' ? TYPE.exec(typ) : null;
  const isId = kid === undefined || typeof kid === 'string';
  if (!type || !isId || REFUSED_MEMBERS.some((member) => member in header)) {
    throw new TokenFault('header_not_accepted');
  }
  const issuer = typeof claims['iss'] === 'string' ? claims['iss'] : undefined;
  return { alg: pinned, kid, issuer, claims, isAccessToken: type[1] !== undefined };
}

/** Header and claims of a compact JWS. Unused trailing bits would let one token be written in several ways. */
function decode(token: string): { header: ReturnType<typeof decodeProtectedHeader>; claims: JWTPayload } {
  try {
    const isCanonical = (part: string): boolean =>
      Buffer.from(part, 'base64url').toString('base64url') === part;
    if (token.split('.').every(isCanonical)) {
      return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
    }
  } catch {
    // jose says why, but not in our words
  }
  throw new TokenFault('malformed');
}

/** `kid` and `alg` of a refused token, for log and audit trail: the caller wrote them, so printable ASCII alone. */
export function claimedHeader(token: string): Readonly<Record<string, string>> {
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    const shown = Object.entries({ kid, alg }).filter(
      ([, text]) => typeof text === 'string' && SHOWN.test(text),
    );
    return Object.fromEntries(shown as [string, string][]);
  } catch {
    return {};
  }
}
