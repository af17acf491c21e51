import type { RequestContext } from '../http/request-context.js';
import type { BrowserToken } from './browser-tokens.js';

/** Notes in the context which token the request uses. @param scopes those that the token was asked for */
export function noteToken(
  { source, expiresAt, tokenHash }: BrowserToken,
  scopes: readonly string[],
  { notes }: RequestContext,
): void {
  notes.scopesGranted = scopes;
  notes.source = source;
  notes.expiresAt = expiresAt;
  notes.tokenHash = tokenHash;
}
