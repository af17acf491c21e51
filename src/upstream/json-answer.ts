import type { IncomingAnswer } from '../http/exchange.js';

/**
 * The JSON object an answer holds, or undefined when it holds anything else. A compressed body counts as something
 * else: none was asked for. The parser's own complaint is dropped, since it quotes the text, which may be a token.
 */
export function readJsonObject(answer: IncomingAnswer): Record<string, unknown> | undefined {
  if (answer.headers['content-encoding'] !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
