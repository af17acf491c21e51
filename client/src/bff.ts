import { askJson, withDeadline, within } from './ask.js';
import { BffError } from './bff-error.js';
import type { BffOptions, TokenRequest } from './bff-options.js';
import { throwIfAborted } from './read-json.js';
import { tokenOf, tokenPlace, Tokens, type Mint, type Token, type TokenPlace } from './tokens.js';

/** One session with one hirer: its tokens, and the signal that aborts its requests. */
export interface HirerSession {
  readonly hirerId: string | undefined;
  readonly signal: AbortSignal;
}

interface OpenSession extends HirerSession {
  readonly tokens: Tokens;
  readonly controller: AbortController;
}

/**
 * One signed-in user of the service, in this tab. Everything else in this package takes it as its first argument.
 *
 * Tokens belong to a session, which is for one hirer. {@link switchHirer} and {@link signOut} end the session, abort its
 * requests with `SESSION_ENDED`, and drop its tokens. An answer that arrives later finds the session ended and is
 * dropped, so that nothing of one hirer is ever shown or used for another. After {@link signOut} the object stays ended;
 * make a new one when a user signs in.
 */
export class Bff {
  /** UUID that all requests carry as `X-Session-Id`. */
  readonly sessionId: string;
  private readonly user = new AbortController();
  private readonly listeners = new Set<() => void>();
  private current: OpenSession;
  private tongue: string | undefined;

  constructor(readonly options: BffOptions) {
    this.sessionId = options.sessionId ?? crypto.randomUUID();
    this.tongue = options.language;
    this.current = this.open(options.hirerId);
  }

  /** The user's languages, as `Accept-Language` has them; undefined leaves it to the browser. */
  get language(): string | undefined {
    return this.tongue;
  }

  set language(language: string | undefined) {
    this.tongue = language;
    this.announce();
  }

  /** The current hirer. */
  get hirerId(): string | undefined {
    return this.current.hirerId;
  }

  /** Aborted when the user signs out. */
  get signal(): AbortSignal {
    return this.user.signal;
  }

  /** The current session; requests that are started in it end with it. */
  get session(): HirerSession {
    return this.current;
  }

  /** Calls `listener` after each change of hirer or language and after sign-out, until the function it returns is called. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Makes another hirer the current one. Ends the session, even for the same hirer: tokens are dropped, and pending
   * requests reject with `SESSION_ENDED`.
   */
  switchHirer(hirerId: string | undefined): void {
    this.user.signal.throwIfAborted();
    const last = this.current;
    this.current = this.open(hirerId);
    last.controller.abort(sessionEnded('hirer_switched'));
    this.announce();
  }

  /** Drops every token and aborts every request, permanently. */
  signOut(): void {
    if (this.user.signal.aborted) return;
    const error = sessionEnded('signed_out');
    const last = this.current;
    this.current = this.open(undefined);
    this.current.controller.abort(error);
    this.user.abort(error);
    last.controller.abort(error);
    this.announce();
  }

  /**
   * A browser token (interface 5.3), from memory if one there is valid long enough. May be passed as a function, for
   * instance to a panel.
   * @throws BffError `FORBIDDEN` (`hirer_forbidden`, `scope_forbidden`), `RATE_LIMITED`, `UNAVAILABLE`…
   */
  readonly getAuthToken = async (request: TokenRequest = {}): Promise<string> =>
    (await this.token(request)).value;

  /**
   * Like {@link getAuthToken}, with its expiry.
   * @param refused a token that the upstream answered with `UNAUTHENTICATED`: it is replaced, unless it has been already
   */
  async token({ hirerId, scope, signal }: TokenRequest = {}, refused?: string): Promise<Token> {
    const { current: session } = this;
    const either = signal ? AbortSignal.any([session.signal, signal]) : session.signal;
    throwIfAborted(either);
    const place = tokenPlace(hirerId ?? session.hirerId, scope ?? this.options.scope);
    const mint: Mint = (old) => this.mint(session, place, old);
    return within(either, session.tokens.get(place.key, mint, refused));
  }

  private async mint(session: OpenSession, place: TokenPlace, refused?: string): Promise<Token> {
    const askedAt = this.now();
    const signal = withDeadline(this, session);
    // interface 2.2
    const answer = await askJson<{ access_token: string; expires_in: number }>(this, '/auth/token', {
      body: { hirerId: place.hirerId, scope: place.scope },
      ...(refused !== undefined && { headers: { 'X-Refused-Token': refused } }),
      signal,
    });
    session.signal.throwIfAborted();
    return tokenOf(answer.access_token, answer.expires_in, askedAt);
  }

  private open(hirerId: string | undefined): OpenSession {
    const controller = new AbortController();
    return { hirerId, tokens: new Tokens(this.now), controller, signal: controller.signal };
  }

  private readonly now = (): number => (this.options.now ?? Date.now)();

  private announce(): void {
    for (const listener of this.listeners) listener();
  }
}

const ENDINGS = {
  hirer_switched: 'Another hirer was chosen meanwhile.',
  signed_out: 'The user has signed out.',
};

function sessionEnded(reason: keyof typeof ENDINGS): BffError {
  return new BffError('SESSION_ENDED', ENDINGS[reason], { reason });
}
