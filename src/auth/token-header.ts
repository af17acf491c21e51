import { decodeProtectedHeader } from 'jose';
import type { Algorithm } from '../config/values/public-keys.js';
import { isObject } from '../json/is-object.js';
import type { KeyHint } from './keys/key-source.js';
import { TokenFault } from './token-fault.js';

/** The signature may be empty, so that a token of `alg` none is refused for its algorithm. */
const JWS_COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const TYPES = /^(application\/)?(at\+)?jwt$/i;
/** RFC 9068 section 2.1. */
const ACCESS_TOKEN_TYPES = /^(application\/)?at\+jwt$/i;
/** Members that would supply a key, or change how the signature is made (RFC 7515 section 4.1, RFC 7797). */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'];

/** A header that passed the checks. */
export interface TokenHeader extends KeyHint {
  /** True if `typ` says that this is an access token; other tokens may be one too. */
  readonly isAccessToken: boolean;
}

/**
 * Checks everything about a token that does not depend on its signature: that it is a compact JWS in canonical base64url,
 * uses a pinned algorithm, and has no header member that asks for more (RFC 8725 sections 3.1, 3.11).
 * @throws TokenFault, and SyntaxError for a header that is not JSON
 */
export function checkTokenHeader(token: string, algorithms: readonly Algorithm[]): TokenHeader {
  if (!JWS_COMPACT.test(token)) throw new TokenFault('malformed');
  const parts = token.split('.').map(decodePart);
  const [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(part.toString('utf8')) as unknown);
  if (!isObject(header)) throw new TokenFault('malformed');
  const { alg, kid, typ } = header;
  const pinned = algorithms.find((name) => name === alg);
  if (pinned === undefined) throw new TokenFault('algorithm_not_accepted');
  if (parts[2]!.length === 0) throw new TokenFault('wrong_signature');
  if (REFUSED_MEMBERS.some((member) => member in header)) throw new TokenFault('header_not_accepted');
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.test(typ))) {
    throw new TokenFault('header_not_accepted');
  }
  if (kid !== undefined && typeof kid !== 'string') throw new TokenFault('header_not_accepted');
  const issuer = isObject(claims) && typeof claims['iss'] === 'string' ? claims['iss'] : undefined;
  return { alg: pinned, kid, issuer, isAccessToken: typ !== undefined && ACCESS_TOKEN_TYPES.test(typ) };
}

/** Unused trailing bits would let one token be written in several ways. */
function decodePart(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new TokenFault('malformed');
  return bytes;
}

const SHOWN = /^[\x20-\x7e]{1,100}$/;

/**
 * `kid` and `alg` of a refused token, for log and audit trail. The caller wrote them: each is left out unless it is
 * printable ASCII of at most a hundred characters.
 */
export function claimedHeader(token: string): Readonly<Record<string, string>> {
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    return Object.fromEntries(Object.entries({ kid, alg }).filter(isShown));
  } catch {
    return {};
  }
}

function isShown(member: [string, unknown]): member is [string, string] {
  return typeof member[1] === 'string' && SHOWN.test(member[1]);
}
