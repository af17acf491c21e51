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
