import { contentCodings } from '../http/header-values.js';
import type { IncomingAnswer } from '../http/outgoing/exchange.js';
import { isObject } from '../json/is-object.js';

/**
 * The JSON object in an answer; undefined for anything else. So is a compressed body, since none was asked for. The
 * parser's own error is dropped, because it quotes the text, which may be a token.
 */
export function readJsonObject(answer: IncomingAnswer): Record<string, unknown> | undefined {
  if (contentCodings(answer.headers['content-encoding']) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The token in an answer that grants one: fit to follow `Bearer ` in a header (RFC 6750 section 2.1, `b64token`), and of
 * the type Bearer, whose case does not matter (RFC 6749 section 5.1). Undefined for anything else.
 */
export function bearerTokenOf(grant: Readonly<Record<string, unknown>>): string | undefined {
  const { access_token: token, token_type: type } = grant;
  if (typeof token !== 'string' || !/^[\w.~+/=-]{1,16384}$/.test(token)) return undefined;
  return typeof type === 'string' && type.toLowerCase() === 'bearer' ? token : undefined;
}
