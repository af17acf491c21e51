import type { Token } from './tokens.js';

/** The end user's token from the page's own sign-in, as the service is configured to accept it. */
export type GetUserToken = (request: {
  /** True when the token returned last has been refused: get a new one, or return the same one to give up. */
  readonly refresh: boolean;
}) => string | Promise<string>;

/** How tabs of one user exchange browser tokens; `shareTokens` makes one. */
export interface TokenSharing {
  /** Joins the other tabs; `url` is that of the service. */
  join(url: string, tab: SharingTab): SharingPlace;
}

/** The effects that other tabs have on this one. */
export interface SharingTab {
  readonly entries: () => [string, Token][];
  /** Takes a token if it is one of the current hirer; false otherwise. */
  readonly onToken: (key: string, token: Token) => boolean;
  readonly onSignedOut: () => void;
}

/** This tab's place among the others. */
export interface SharingPlace {
  /** Resolves once the other tabs have had a moment to answer. */
  readonly ready: Promise<void>;
  readonly tell: (key: string, token: Token) => void;
  /** Leaves the other tabs; they sign out as well if `signedOut`. */
  readonly leave: (signedOut: boolean) => void;
}

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
  /** Shares browser tokens with the user's other tabs; not by default. */
  readonly sharing?: TokenSharing;
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
