import { BffError } from '../errors/bff-error.js';
import { RequestContext } from '../http/request-context.js';
import { sendWithToken, type RefusedBy, type TokenSource } from './replace-refused-token.js';

const context = RequestContext.background();

/** Numbers its tokens, and says what was done with them. */
class NumberedTokens implements TokenSource {
  readonly log: string[] = [];
  renews = true;
  failure: BffError | undefined;
  private number = 1;

  get(): string | Promise<string> {
    if (this.failure && this.number > 1) throw this.failure;
    return this.number === 1 ? `token-${this.number}` : Promise.resolve(`token-${this.number}`);
  }

  async replace(token: string, _context: RequestContext, by?: RefusedBy): Promise<boolean> {
    this.log.push(`replaced ${token}${by ? ` for ${by}` : ''}`);
    this.number += 1;
    return this.renews;
  }
}

/** An upstream that accepts only some tokens. */
class Upstream {
  readonly log: string[] = [];

  constructor(private readonly accepted: readonly string[]) {}

  async send(token: string): Promise<string> {
    this.log.push(token);
    return this.accepted.includes(token) ? `accepted ${token}` : `refused ${token}`;
  }

  isRefused(answer: string): boolean {
    return answer.startsWith('refused');
  }
}

const send = (tokens: TokenSource, upstream: Upstream, by?: RefusedBy): Promise<string> =>
  sendWithToken(
    tokens,
    context,
    (token) => upstream.send(token),
    (answer) => upstream.isRefused(answer),
    by,
  );

describe('a request with a token', () => {
  test('is sent once with a token that is accepted', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream(['token-1'])];
    expect(await send(tokens, upstream)).toBe('accepted token-1');
    expect([...upstream.log, ...tokens.log]).toEqual(['token-1']);
  });

  test('is sent again with another token in place of a refused one', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream(['token-2'])];
    expect(await send(tokens, upstream)).toBe('accepted token-2');
    expect(tokens.log).toEqual(['replaced token-1 for operation']);
  });

  test('passes a second refusal on, and replaces nothing for it', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream([])];
    expect(await send(tokens, upstream)).toBe('refused token-2');
    expect(tokens.log).toEqual(['replaced token-1 for operation']);
  });

  test('passes the refusal on when the token is not to be replaced', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream([])];
    tokens.renews = false;
    expect(await send(tokens, upstream)).toBe('refused token-1');
    expect(upstream.log).toEqual(['token-1']);
  });

  test('says who refused', async () => {
    const tokens = new NumberedTokens();
    await send(tokens, new Upstream(['token-2']), 'token-endpoint');
    expect(tokens.log).toEqual(['replaced token-1 for token-endpoint']);
  });

  test('fails when there is no second token', async () => {
    const tokens = new NumberedTokens();
    tokens.failure = new BffError('unavailable');
    await expect(send(tokens, new Upstream([]))).rejects.toBe(tokens.failure);
  });
});
