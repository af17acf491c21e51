import { BffError } from '../errors/bff-error.js';
import type { RequestContext } from '../http/request-context.js';

/** How long a token that replaced a refused one is not replaced again, in milliseconds. */
export const REPLACEMENT_HOLD_MS = 5_000;

/** The party that refuses a token: the token endpoint, which judges the token alone, or the answer to an operation. */
export type RefusedBy = 'token-endpoint' | 'operation';

/** Where the token of an upstream request comes from. */
export interface TokenSource<Token extends string | undefined = string> {
  /**
   * @returns synchronously when a token is at hand; undefined for what needs none
   * @throws BffError when there is none to be had
   */
  get(context: RequestContext): Token | Promise<string>;
  /**
   * Sees to it that the next `get` gives another token than this one, which the upstream did not accept.
   * @param by `operation` by default
   * @returns whether to get that token and send again; false when the refusal is to be passed on
   */
  replace(token: string, context: RequestContext, by?: RefusedBy): Promise<boolean>;
}

/** A request that is sent with a token, and how its answer is read. */
export interface TokenUse<Answer, Token extends string | undefined = string> {
  /** Of `isRefused`; `operation` by default. */
  readonly refusedBy?: RefusedBy;
  /** @param refused the first answer, when this is the second time: only what is safe to repeat is sent again */
  send(token: Token | string, refused?: Answer): Promise<Answer>;
  /** True if the answer refuses the token. */
  isRefused(answer: Answer): boolean;
  /** True if something of a refused request may be sent again; without this method, it may. */
  mayRepeat?(refused: Answer): boolean;
  /** The answer when there is no second token; without this method, the error is thrown. */
  unsent?(error: BffError, refused: Answer): Answer;
}

/**
 * Sends a request with a token; if the upstream refuses the token, replaces it and, where that is safe, sends once more
 * (interface 5.5, 5.8). The second answer stands, whatever it says, and so does the first when the token is not to be replaced.
 */
export async function useToken<Answer, Token extends string | undefined = string>(
  source: TokenSource<Token>,
  context: RequestContext,
  use: TokenUse<Answer, Token>,
): Promise<Answer> {
  const held = source.get(context);
  const token = held instanceof Promise ? await held : held;
  const answer = await use.send(token, undefined);
  if (token === undefined || !use.isRefused(answer)) return answer;
  if (!(await source.replace(token, context, use.refusedBy))) return answer;
  if (use.mayRepeat?.(answer) === false) return answer;
  let fresh: Token | string;
  try {
    fresh = await source.get(context);
  } catch (error) {
    if (use.unsent && error instanceof BffError) return use.unsent(error, answer);
    throw error;
  }
  return use.send(fresh, answer);
}
