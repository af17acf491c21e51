import type { Algorithm } from '../config/algorithms.js';
import type { KeyHint } from './key-source.js';

const JWS_COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TYPES = /^(application\/)?(at\+)?jwt$/i;
/** Members that would supply a key, or change how the signature is made (RFC 7515 section 4.1, RFC 7797). */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'];

/**
 * Checks everything about a token that does not depend on its signature: that it is a compact JWS in canonical base64url,
 * uses a pinned algorithm, and has no header member that asks for more (RFC 8725 sections 3.1, 3.11).
 * @throws Error with the reason
 */
export function checkTokenHeader(token: string, algorithms: readonly Algorithm[]): KeyHint {
  if (!JWS_COMPACT.test(token)) throw new Error('not a compact JWS');
  const parts = token.split('.').map(decodePart);
  const header = JSON.parse(parts[0]!.toString('utf8')) as unknown;
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new Error('header is not an object');
  }
  const { alg, kid, typ } = header as Record<string, unknown>;
  const pinned = algorithms.find((name) => name === alg);
  if (pinned === undefined) throw new Error('algorithm is not accepted');
  if (REFUSED_MEMBERS.some((member) => member in header)) throw new Error('header member is not accepted');
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.test(typ))) {
    throw new Error('type is not accepted');
  }
  if (kid !== undefined && typeof kid !== 'string') throw new Error('key id is not text');
  return { alg: pinned, kid };
}

/** Unused trailing bits would let one token be written in several ways. */
function decodePart(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new Error('a part is not canonical base64url');
  return bytes;
}

const CLAIMED_CHARACTERS_MAX = 100;

/** `kid` and `alg` from the header of a refused token, clipped. For the log only: they are unverified. */
export function claimedHeader(token: string): Record<string, string> {
  try {
    const text = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8');
    const { kid, alg } = JSON.parse(text) as Record<string, unknown>;
    const named = Object.entries({ kid, alg }).filter(([, value]) => typeof value === 'string');
    return Object.fromEntries(
      named.map(([name, value]) => [name, (value as string).slice(0, CLAIMED_CHARACTERS_MAX)]),
    );
  } catch {
    return {};
  }
}
