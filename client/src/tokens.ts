/** A browser token and its expiry. */
export interface Token {
  readonly value: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Epoch milliseconds; from then on the token is renewed while it is still used. */
  readonly renewAt: number;
}

const AHEAD_MS = 60_000;
const AHEAD_SHARE = 0.1;
/** A token with less time left could expire on the way to the upstream. */
const USABLE_MS = 1_000;

/**
 * A token that was requested at `askedAt`. It is renewed in the last tenth of its remaining lifetime then, a minute at
 * most: less than the margin within which the service itself hands out a new one.
 */
export function tokenOf(value: string, lifeSeconds: number, askedAt: number): Token {
  const expiresAt = askedAt + lifeSeconds * 1000;
  return { value, expiresAt, renewAt: expiresAt - Math.min(AHEAD_MS, lifeSeconds * 1000 * AHEAD_SHARE) };
}

/** Where a token is kept: hirer and exact scopes. */
export interface TokenPlace {
  readonly key: string;
  readonly hirerId: string;
  readonly scope: string;
}

/**
 * The place of a token; scopes in another order are the same place.
 * @throws TypeError without a hirer or scopes
 */
export function tokenPlace(hirerId: string | undefined, scopes: string | undefined): TokenPlace {
  if (hirerId === undefined || scopes === undefined) {
    throw new TypeError('A browser token needs a hirerId and a scope.');
  }
  const scope = [...new Set(scopes.split(' ').filter(Boolean))].sort().join(' ');
  return { key: JSON.stringify([hirerId, scope]), hirerId, scope };
}

/** Gets a token; `refused` is one that the upstream no longer accepts. */
export type Mint = (refused?: string) => Promise<Token>;

/**
 * The browser tokens of one session, by hirer and exact scopes. They are in memory only. Dropping this object drops
 * all of them, those still being minted included, because nothing else holds them.
 */
export class Tokens {
  private readonly tokens = new Map<string, Token>();
  private readonly mints = new Map<string, Promise<Token>>();

  constructor(private readonly now: () => number) {}

  /** The token of a key: a known one that was not refused, or that of the one mint that all callers wait for. */
  async get(key: string, mint: Mint, refused?: string): Promise<Token> {
    const token = this.peek(key);
    if (token && token.value !== refused) {
      // A failure leaves the token as it is; the next caller tries again.
      if (token.renewAt <= this.now()) this.mint(key, mint).catch(() => undefined);
      return token;
    }
    this.tokens.delete(key);
    return this.mint(key, () => mint(refused));
  }

  /** The token of a key, if it is still usable. */
  private peek(key: string): Token | undefined {
    const token = this.tokens.get(key);
    if (token && token.expiresAt - USABLE_MS > this.now()) return token;
    this.tokens.delete(key);
    return undefined;
  }

  private mint(key: string, mint: Mint): Promise<Token> {
    const underWay = this.mints.get(key);
    if (underWay) return underWay;
    const minting = mint().then((token) => {
      this.tokens.set(key, token);
      return token;
    });
    this.mints.set(key, minting);
    const end = (): void => void this.mints.delete(key);
    minting.then(end, end);
    return minting;
  }
}
