import { CachedTokens, type CachedToken } from './cached-tokens.js';

const KEYS_MAX = 20;
let counter = 0;
const tokenOf = (hirerId: string): CachedToken => ({
  hirerId,
  userId: 'u',
  accessToken: `token-${(counter += 1)}`,
  tokenHash: '',
  issuedAt: 0,
  expiresAt: 1,
  sealed: Buffer.alloc(8),
});

test('the tokens of a hirer are exactly those in memory, whatever was replaced, deleted or evicted', () => {
  const tokens = new CachedTokens(KEYS_MAX);
  const known = new Map<string, CachedToken>();
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let step = 0; step < 5_000; step += 1) {
    const hirerId = `h${random(5)}`;
    const key = `${hirerId} ${random(10)}`;
    const stale = known.get(key);
    if (random(4) === 0 && stale) {
      tokens.delete(key, stale);
    } else {
      known.set(key, tokenOf(hirerId));
      tokens.set(key, known.get(key)!);
      if (stale) tokens.delete(key, stale); // not the one that is there now
    }
    const held = ['h0', 'h1', 'h2', 'h3', 'h4'].flatMap((hirer) => tokens.ofHirer(hirer));
    expect(held.length).toBe(tokens.size);
    expect(held.every(([name, token]) => tokens.get(name) === token && known.get(name) === token)).toBe(true);
    expect(held.every(([name, token]) => name.startsWith(token.hirerId))).toBe(true);
  }
  expect(tokens.size).toBeLessThanOrEqual(KEYS_MAX);
});
