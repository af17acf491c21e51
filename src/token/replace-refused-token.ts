import type { RequestContext } from '../http/request-context.js';

/** How long a token that replaced a refused one is not replaced again, in milliseconds. */
export const REPLACEMENT_HOLD_MS = 5_000;

/** The party that refuses a token: the token endpoint, which judges the token alone, or the answer to an operation. */
export type RefusedBy = 'token-endpoint' | 'operation';

/** Where the token of an upstream request comes from. */
export interface TokenSource {
  /** Synchronous when a token is at hand. @throws BffError */
  get(context: RequestContext): string | Promise<string>;
  /**
   * Sees to it that the next `get` gives another token than this one, which the upstream did not accept.
   * @returns whether to get that token and send again; false when the refusal is to be passed on
   */
  replace(token: string, context: RequestContext, by?: RefusedBy): Promise<boolean>;
}

/**
 * Sends a request with a token; if the answer refuses the token, replaces it and sends once more (interface 5.5, 5.8).
 * The second answer stands, whatever it says, and so does the first when the token is not to be replaced.
 */
export async function sendWithToken<Answer>(
  source: TokenSource,
  context: RequestContext,
  send: (token: string) => Promise<Answer>,
  isRefused: (answer: Answer) => boolean,
  refusedBy: RefusedBy = 'operation',
): Promise<Answer> {
  const token = await source.get(context);
  const answer = await send(token);
  if (!isRefused(answer) || !(await source.replace(token, context, refusedBy))) return answer;
  return send(await source.get(context));
}
