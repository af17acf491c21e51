/** The end user's token from the page's own sign-in, as the service is configured to accept it. */
export type GetUserToken = (request: {
  /** True when the token returned last has been refused: get a new one, or return the same one to give up. */
  readonly refresh: boolean;
}) => string | Promise<string>;

/** How a page uses the service. */
export interface BffOptions {
  /** Address of the service, with its base path if it has one: `https://bff.partner.example`. */
  readonly url: string;
  /** `{base_url}` of the upstream (interface 4.1). With it, GraphQL texts go there directly with a browser token. */
  readonly upstreamUrl?: string;
  /** Gives the end user's token. Without it, the service reads the user's cookie (`END_USER_COOKIE`). */
  readonly getUserToken?: GetUserToken;
  /** The hirer to begin with; see `switchHirer`. */
  readonly hirerId?: string;
  /** Scopes of browser tokens, separated by spaces, where a call names none. Ask for no more than the page uses. */
  readonly scope?: string;
  /** The user's languages (`Accept-Language`); those of the browser by default. */
  readonly language?: string;
  /** UUID that the requests of one interaction share in every log; a new one by default. */
  readonly sessionId?: string;
  /** How long a request may take, in milliseconds; 30,000 by default. Not for streams and files. */
  readonly timeoutMs?: number;
  /** For tests and unusual places. */
  readonly fetch?: typeof fetch;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Which browser token a call needs. */
export interface TokenRequest {
  /** Another hirer than the current one, such as that of a job ad on view (interface 5.4). */
  readonly hirerId?: string | undefined;
  /** Scopes separated by spaces, in any order. */
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
