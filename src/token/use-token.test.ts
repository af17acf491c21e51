import { BffError } from '../errors/bff-error.js';
import { RequestContext } from '../http/request-context.js';
import { useToken, type RefusedBy, type TokenSource, type TokenUse } from './use-token.js';

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
class Upstream implements TokenUse<string> {
  readonly log: string[] = [];

  constructor(private readonly accepted: readonly string[]) {}

  async send(token: string, refused?: string): Promise<string> {
    this.log.push(token);
    const answer = this.accepted.includes(token) ? `accepted ${token}` : `refused ${token}`;
    return refused === undefined ? answer : `${refused}, then ${answer}`;
  }

  isRefused(answer: string): boolean {
    return answer.startsWith('refused');
  }
}

describe('useToken', () => {
  test('sends once with a token that is accepted', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream(['token-1'])];
    expect(await useToken(tokens, context, upstream)).toBe('accepted token-1');
    expect([...upstream.log, ...tokens.log]).toEqual(['token-1']);
  });

  test('replaces a refused token, and sends again with the new one, knowing the first answer', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream(['token-2'])];
    expect(await useToken(tokens, context, upstream)).toBe('refused token-1, then accepted token-2');
    expect(tokens.log).toEqual(['replaced token-1']);
  });

  test('passes a second refusal on, and replaces nothing for it', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream([])];
    expect(await useToken(tokens, context, upstream)).toBe('refused token-1, then refused token-2');
    expect(tokens.log).toEqual(['replaced token-1']);
  });

  test('passes the refusal on when the token is not to be replaced', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream([])];
    tokens.renews = false;
    expect(await useToken(tokens, context, upstream)).toBe('refused token-1');
    expect(upstream.log).toEqual(['token-1']);
  });

  test('says who refused', async () => {
    const tokens = new NumberedTokens();
    const upstream = Object.assign(new Upstream(['token-2']), { refusedBy: 'token-endpoint' } as const);
    await useToken(tokens, context, upstream);
    expect(tokens.log).toEqual(['replaced token-1 for token-endpoint']);
  });

  test('replaces nothing for what is sent without a token', async () => {
    const log: string[] = [];
    const none: TokenSource<undefined> = {
      get: () => undefined,
      replace: async (token) => log.push(token) > 0,
    };
    const send = async (token: string | undefined): Promise<string> => `refused ${token}`;
    expect(await useToken(none, context, { send, isRefused: () => true })).toBe('refused undefined');
    expect(log).toEqual([]);
  });

  test('throws when there is no second token, unless the use makes an answer of it', async () => {
    const [tokens, upstream] = [new NumberedTokens(), new Upstream([])];
    tokens.failure = new BffError('unavailable');
    await expect(useToken(tokens, context, upstream)).rejects.toBe(tokens.failure);
    const others = Object.assign(new NumberedTokens(), { failure: tokens.failure });
    const unsent = ({ code }: BffError, refused: string): string => `${refused}, then ${code}`;
    const answer = await useToken(others, context, Object.assign(new Upstream([]), { unsent }));
    expect(answer).toBe('refused token-1, then unavailable');
  });
});
