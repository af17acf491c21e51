import { BffError, errorOfAnswer, readHead } from './bff-error.js';
import type { BffOptions, SharingPlace, TokenRequest } from './bff-options.js';
import { faultOf, readJson } from './read-json.js';
import { Tokens, tokenOf, type Mint, type Token } from './tokens.js';

/** One stay at one hirer: its tokens, and the signal that ends what it has under way. */
export interface HirerSession {
  readonly hirerId: string | undefined;
  readonly signal: AbortSignal;
}

/** A request to the service. */
export interface ServiceRequest {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** An answer, and the id that its request was sent with. */
export interface ServiceAnswer {
  readonly response: Response;
  readonly requestId: string;
}

interface OpenSession extends HirerSession {
  readonly tokens: Tokens;
  readonly controller: AbortController;
}

const TIMEOUT_MS = 30_000;

/**
 * One signed-in user of the service, in this tab. Everything else in this package takes it as its first argument.
 *
 * Tokens belong to a session: one stay at one hirer. {@link switchHirer} and {@link signOut} end the session, abort what
 * it has under way with `SESSION_ENDED`, and drop its tokens. An answer that arrives later finds the session ended and is
 * dropped, so that nothing of one hirer is ever shown or used for another. After {@link signOut} the object stays ended;
 * make a new one when somebody signs in.
 */
export class Bff {
  /** UUID that all requests carry as `X-Session-Id`. */
  readonly sessionId: string;
  private readonly user = new AbortController();
  private readonly listeners = new Set<() => void>();
  private readonly place: SharingPlace | undefined;
  private current: OpenSession;
  private tongue: string | undefined;

  constructor(readonly options: BffOptions) {
    this.sessionId = options.sessionId ?? crypto.randomUUID();
    this.tongue = options.language;
    this.current = this.open(options.hirerId);
    this.place = options.sharing?.join(options.url, {
      entries: () => this.current.tokens.entries(),
      onToken: (key, token) => this.accept(key, token),
      onSignedOut: () => this.end('signed_out', false),
    });
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

  /** The current session; what is begun in it ends with it. */
  get session(): HirerSession {
    return this.current;
  }

  /** Calls `listener` after each change of hirer or language and after sign-out, until the function it returns is called. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Makes another hirer the current one. Ends the session, even for the same hirer: tokens are dropped, and what is under
   * way rejects with `SESSION_ENDED`.
   */
  switchHirer(hirerId: string | undefined): void {
    this.user.signal.throwIfAborted();
    const last = this.current;
    this.current = this.open(hirerId);
    last.controller.abort(sessionEnded('hirer_switched'));
    this.announce();
  }

  /** Drops every token and ends everything under way, for good; in the user's other tabs as well, if they share. */
  signOut(): void {
    this.end('signed_out', true);
  }

  /** Leaves this tab without signing the user out of the others. */
  close(): void {
    this.end('closed', false);
  }

  /**
   * A browser token (interface 5.3), from memory if there is one that lasts. May be passed on as a function, to a panel
   * for instance.
   * @throws BffError `FORBIDDEN` (`hirer_forbidden`, `scope_forbidden`), `RATE_LIMITED`, `UNAVAILABLE`…
   */
  readonly getAuthToken = async (request: TokenRequest = {}): Promise<string> =>
    (await this.token(request)).value;

  /**
   * Like {@link getAuthToken}, with the end of its life.
   * @param refused a token that the upstream answered with `UNAUTHENTICATED`: it is replaced, unless it has been already
   */
  async token({ hirerId, scope, signal }: TokenRequest = {}, refused?: string): Promise<Token> {
    const { current: session } = this;
    const either = signal ? AbortSignal.any([session.signal, signal]) : session.signal;
    either.throwIfAborted();
    const place = tokenPlace(hirerId ?? session.hirerId, scope ?? this.options.scope);
    const mint: Mint = (old) => this.mint(session, place, old);
    return within(either, session.tokens.get(place.key, mint, refused));
  }

  /**
   * Sends a request to the service as the user. A user token that is refused is renewed once.
   * @throws BffError for every answer that is no success
   */
  async ask(path: string, request: ServiceRequest): Promise<ServiceAnswer> {
    const answer = await this.send(path, request);
    if (answer.response.ok) return answer;
    const body = await readJson(answer.response, request.signal);
    throw errorOfAnswer(readHead(answer.response, answer.requestId), body);
  }

  /** Like {@link ask}, for answers whose failures the caller reads. */
  async send(path: string, request: ServiceRequest): Promise<ServiceAnswer> {
    const { getUserToken } = this.options;
    const token = await getUserToken?.({ refresh: false });
    const answer = await this.sendAs(token, path, request);
    if (answer.response.status !== 401 || !getUserToken) return answer;
    const renewed = await getUserToken({ refresh: true });
    return renewed === token ? answer : this.sendAs(renewed, path, request);
  }

  /** Sends one HTTP request with the headers that every request has (interface, Tracing). */
  async exchange(
    url: string,
    init: Omit<RequestInit, 'headers'> & { headers: Record<string, string> },
  ): Promise<ServiceAnswer> {
    const requestId = crypto.randomUUID();
    const headers: Record<string, string> = {
      ...init.headers,
      'X-Request-Id': requestId,
      'X-Session-Id': this.sessionId,
    };
    if (this.language !== undefined) headers['Accept-Language'] ??= this.language;
    init.signal?.throwIfAborted();
    try {
      const response = await (this.options.fetch ?? fetch)(url, { ...init, headers, redirect: 'error' });
      init.signal?.throwIfAborted();
      return { response, requestId };
    } catch (error) {
      throw faultOf(error, init.signal, requestId);
    }
  }

  /** The caller's signal, joined with the session's and a deadline. */
  bounded(session: HirerSession | Bff, signal: AbortSignal | undefined): AbortSignal {
    const deadline = AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS);
    return AbortSignal.any([session.signal, deadline, ...(signal ? [signal] : [])]);
  }

  private sendAs(token: string | undefined, path: string, request: ServiceRequest): Promise<ServiceAnswer> {
    const { method = 'POST', body, headers, signal } = request;
    return this.exchange(this.options.url.replace(/\/$/, '') + path, {
      method,
      signal,
      credentials: this.options.getUserToken ? 'omit' : 'include',
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(this.options.getUserToken ? { Authorization: `Bearer ${token}` } : { 'X-CSRF': '1' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  private async mint(session: OpenSession, place: TokenPlace, refused?: string): Promise<Token> {
    await this.place?.ready;
    const shared = session.tokens.peek(place.key);
    if (shared && shared.value !== refused && shared.renewAt > this.now()) return shared;
    const askedAt = this.now();
    const signal = this.bounded(session, undefined);
    const { response } = await this.ask('/auth/token', {
      body: { hirerId: place.hirerId, scope: place.scope },
      ...(refused !== undefined && { headers: { 'X-Refused-Token': refused } }),
      signal,
    });
    const { access_token: token, expires_in: seconds } = (await readJson(response, signal)) as TokenAnswer;
    session.signal.throwIfAborted();
    return tokenOf(token, seconds, askedAt);
  }

  private open(hirerId: string | undefined): OpenSession {
    const controller = new AbortController();
    const tokens = new Tokens(this.now, (key, token) => this.place?.tell(key, token));
    return { hirerId, tokens, controller, signal: controller.signal };
  }

  private readonly now = (): number => (this.options.now ?? Date.now)();

  private accept(key: string, token: Token): void {
    if (hirerOf(key) === this.hirerId) this.current.tokens.put(key, token);
  }

  private end(reason: 'signed_out' | 'closed', everywhere: boolean): void {
    if (this.user.signal.aborted) return;
    const error = sessionEnded(reason);
    const last = this.current;
    this.current = this.open(undefined);
    this.current.controller.abort(error);
    this.user.abort(error);
    last.controller.abort(error);
    this.place?.leave(everywhere);
    this.announce();
  }

  private announce(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Interface 2.2. */
interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
}

/** Where a token is kept: hirer and exact scopes. */
interface TokenPlace {
  readonly key: string;
  readonly hirerId: string;
  readonly scope: string;
}

function tokenPlace(hirerId: string | undefined, scopes: string | undefined): TokenPlace {
  if (hirerId === undefined || scopes === undefined) {
    throw new TypeError('A browser token needs a hirerId and a scope.');
  }
  const scope = [...new Set(scopes.split(' ').filter(Boolean))].sort().join(' ');
  return { key: JSON.stringify([hirerId, scope]), hirerId, scope };
}

/** Waits for work that others may wait for too, no longer than until the signal. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function hirerOf(key: string): unknown {
  return (JSON.parse(key) as unknown[])[0];
}

function sessionEnded(reason: string): BffError {
  const what =
    reason === 'hirer_switched' ? 'Another hirer was chosen meanwhile.' : 'The user has signed out.';
  return new BffError('SESSION_ENDED', what, { reason });
}
