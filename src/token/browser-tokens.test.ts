import { someSecrets } from '../../test/support/parts.js';
import { BffError } from '../errors/bff-error.js';
import { SharedCache } from '../storage/shared-cache.js';
import type { TokenGrant } from '../upstream/token-grant.js';
import type { BrowserTokenRequest, Upstream } from '../upstream/upstream.js';
import { RequestContext } from '../http/request-context.js';
import { BrowserTokens } from './browser-tokens.js';
import type { PartnerTokens } from './partner-tokens.js';
import { SharedTokens } from './shared-tokens.js';
import { openCache } from '../../test/token/open-cache.js';

const clock = { ms: 1_000_000_000_000 };
const now = (): number => clock.ms;
/** Why there is no partner token. */
let partnerFault: BffError | undefined;
const partnerTokens = {
  get: async () => {
    if (partnerFault) throw partnerFault;
    return 'partner';
  },
  confirm: () => undefined,
} as unknown as PartnerTokens;

/** An upstream whose tokens say for whom they are. */
class TellingEndpoint {
  mints = 0;
  lifeSeconds = 3_600;
  /** The promise that a mint waits for. */
  gate = Promise.resolve();

  async requestBrowserToken(request: BrowserTokenRequest): Promise<TokenGrant> {
    this.mints += 1;
    const number = this.mints;
    await this.gate;
    return { accessToken: `${tell(request)}#${number}`, lifeSeconds: this.lifeSeconds };
  }
}

const tell = ({ hirerId, userId, scopes }: BrowserTokenRequest): string =>
  JSON.stringify([hirerId, userId, scopes]);

function open(
  endpoint: TellingEndpoint,
  cache: SharedCache = new SharedCache(),
  partner: object = {},
): BrowserTokens {
  const shared = new SharedTokens(cache, someSecrets(), now);
  const upstream = {
    UPSTREAM_URL: new URL('https://upstream.test'),
    PARTNER_CLIENT_ID: 'client',
    RATE_LIMIT_MINTS_PER_MINUTE: 0,
    ...partner,
  };
  return new BrowserTokens(upstream, endpoint as unknown as Upstream, partnerTokens, shared, now);
}

const REQUEST: BrowserTokenRequest = { hirerId: 'h1', userId: 'u1', scopes: ['a', 'b'] };
const context = RequestContext.background();

describe('browser tokens', () => {
  test('a mint under way when its user is erased leaves no count of the user behind', async () => {
    const endpoint = new TellingEndpoint();
    const gate = Promise.withResolvers<void>();
    endpoint.gate = gate.promise;
    const tokens = open(endpoint, openCache(), { RATE_LIMIT_MINTS_PER_MINUTE: 5 });
    const minting = tokens.get(REQUEST, context);
    await new Promise(setImmediate);
    await tokens.dropUsers([REQUEST.userId]);
    gate.resolve();
    await minting;
    expect([...tokens['mintLimit']['counts'].keys()]).toEqual([]);
  });

  test('a request while there is no partner token is not one of those that the mint limit counts', async () => {
    const tokens = open(new TellingEndpoint(), openCache(), { RATE_LIMIT_MINTS_PER_MINUTE: 1 });
    partnerFault = new BffError('unavailable');
    await expect(tokens.get(REQUEST, context)).rejects.toBe(partnerFault);
    partnerFault = undefined;
    expect((await tokens.get(REQUEST, context)).source).toBe('upstream');
  });

  test('a wall clock that is set back an hour lengthens neither the life of a token nor the time it is kept', async () => {
    const tokens = open(new TellingEndpoint());
    const first = await tokens.get(REQUEST, context);
    clock.ms -= 3_600_000;
    const second = await tokens.get(REQUEST, context);
    expect(second).toMatchObject({ source: 'upstream', expiresAt: clock.ms + 3_600_000 });
    expect(second.accessToken).not.toBe(first.accessToken);

    await tokens.replace(REQUEST, second.accessToken);
    const replacement = await tokens.get(REQUEST, context);
    expect(await tokens.replace(REQUEST, replacement.accessToken)).toBe(false);
    clock.ms -= 3_600_000;
    expect(await tokens.replace(REQUEST, replacement.accessToken)).toBe(true);
  });

  test.each([
    [3_600, 3_300],
    [600, 450],
    [8, 6],
  ])(
    'a token of %i s is reused for %i s and not longer, and its end never moves',
    async (lifeSeconds, reusedSeconds) => {
      const endpoint = new TellingEndpoint();
      endpoint.lifeSeconds = lifeSeconds;
      const tokens = open(endpoint);
      const first = await tokens.get(REQUEST, context);
      expect(first.expiresAt).toBe(clock.ms + lifeSeconds * 1000);
      clock.ms += reusedSeconds * 1000;
      const { accessToken, expiresAt, tokenHash } = first;
      expect(await tokens.get(REQUEST, context)).toMatchObject({ accessToken, expiresAt, tokenHash });
      expect(endpoint.mints).toBe(1);
      clock.ms += 1;
      expect((await tokens.get(REQUEST, context)).source).toBe('upstream');
    },
  );

  test('a refused token is not handed out by a replica that has not seen it, and its replacement is held by all', async () => {
    const endpoint = new TellingEndpoint();
    const cache = openCache();
    const [one, two, three] = [open(endpoint, cache), open(endpoint, cache), open(endpoint, cache)];
    const first = await one.get(REQUEST, context);
    expect(await two.replace(REQUEST, first.accessToken)).toBe(true);
    const second = await two.get(REQUEST, context);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(await three.replace(REQUEST, second.accessToken)).toBe(false);
    expect((await three.get(REQUEST, context)).accessToken).toBe(second.accessToken);
    expect(await three.replace(REQUEST, second.accessToken)).toBe(false);
    clock.ms += 5_000;
    expect(await three.replace(REQUEST, second.accessToken)).toBe(true);
  });

  test('a refused token is taken by no replica that has not seen it, though nobody has another yet', async () => {
    const endpoint = new TellingEndpoint();
    const cache = openCache();
    const [one, two, three] = [open(endpoint, cache), open(endpoint, cache), open(endpoint, cache)];
    const { accessToken } = await one.get(REQUEST, context);
    await two.replace(REQUEST, accessToken);
    expect((await three.get(REQUEST, context)).accessToken).not.toBe(accessToken);
  });

  test.each([{ PARTNER_CLIENT_ID: 'other' }, { UPSTREAM_URL: new URL('https://other.test') }])(
    'a token that replicas share never serves another partner or upstream: %p',
    async (other) => {
      const cache = openCache();
      await open(new TellingEndpoint(), cache).get(REQUEST, context);
      expect((await open(new TellingEndpoint(), cache).get(REQUEST, context)).source).toBe('cache');
      expect((await open(new TellingEndpoint(), cache, other).get(REQUEST, context)).source).toBe('upstream');
    },
  );

  test('no user gets the token of another, over 100,000 requests of 64 at a time', async () => {
    const tokens = open(new TellingEndpoint());
    let seed = 11;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const scopes = [['a'], ['b'], ['a', 'b'], ['a b']];
    const mixUps: string[] = [];
    for (let round = 0; round < 100_000 / 64; round += 1) {
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          const request = { hirerId: `h${random(12)}`, userId: `u${random(12)}`, scopes: scopes[random(4)]! };
          const token = await tokens.get(request, context);
          if (!token.accessToken.startsWith(`${tell(request)}#`)) mixUps.push(token.accessToken);
          if (random(50) === 0) await tokens.replace(request, token.accessToken);
        }),
      );
    }
    expect(mixUps).toEqual([]);
  });

  test('a token that replaced a refused one less than 5 s ago is not replaced again', async () => {
    const endpoint = new TellingEndpoint();
    const tokens = open(endpoint);
    for (let call = 0; call < 50; call += 1) {
      const { accessToken } = await tokens.get(REQUEST, context);
      expect(await tokens.replace(REQUEST, accessToken)).toBe(call === 0);
      clock.ms += 90;
    }
    expect(endpoint.mints).toBe(2);
    clock.ms += 5_000;
    expect(await tokens.replace(REQUEST, (await tokens.get(REQUEST, context)).accessToken)).toBe(true);
  });

  test('a refused token does not come back from a shared copy that could not be deleted', async () => {
    const cache = Object.assign(openCache(), { deleteIfEqual: async () => undefined });
    const tokens = open(new TellingEndpoint(), cache);
    const { accessToken } = await tokens.get(REQUEST, context);
    expect(await tokens.replace(REQUEST, accessToken)).toBe(true);
    expect((await tokens.get(REQUEST, context)).accessToken).not.toBe(accessToken);
  });

  test('a drop of no hirer leaves what another replica minted in use', async () => {
    const endpoint = new TellingEndpoint();
    const cache = openCache();
    const [here, there] = [open(endpoint, cache), open(endpoint, cache)];
    const { accessToken } = await there.get(REQUEST, context);
    clock.ms += 60_000;
    here.dropHirers([]);
    expect((await here.get(REQUEST, context)).accessToken).toBe(accessToken);
  });

  test('a token being minted when its hirer is dropped serves only the callers that already wait', async () => {
    const endpoint = new TellingEndpoint();
    const tokens = open(endpoint);
    const gate = Promise.withResolvers<void>();
    endpoint.gate = gate.promise;
    const early = tokens.get(REQUEST, context);
    await new Promise(setImmediate);
    tokens.dropHirers([REQUEST.hirerId]);
    clock.ms += 1;
    const late = tokens.get(REQUEST, context);
    gate.resolve();
    expect((await early).accessToken).toMatch(/#1$/);
    expect((await late).accessToken).toMatch(/#2$/);
    expect(await tokens.get(REQUEST, context)).toMatchObject({
      accessToken: (await late).accessToken,
      source: 'cache',
    });
  });

  test('a token being minted when its hirer or its user is dropped is kept by nobody, here or elsewhere', async () => {
    const drops: ((tokens: BrowserTokens) => void | Promise<void>)[] = [
      (tokens) => tokens.dropHirers([REQUEST.hirerId]),
      (tokens) => tokens.dropUsers([REQUEST.userId]),
    ];
    for (const drop of drops) {
      const endpoint = new TellingEndpoint();
      const cache = openCache();
      const [here, there] = [open(endpoint, cache), open(endpoint, cache)];
      const gate = Promise.withResolvers<void>();
      endpoint.gate = gate.promise;
      const early = here.get(REQUEST, context);
      await new Promise(setImmediate);
      await drop(here);
      gate.resolve();
      const { accessToken } = await early;
      expect(accessToken).toMatch(/#1$/);
      expect((await there.get(REQUEST, context)).accessToken).not.toBe(accessToken);
      clock.ms += 1;
      expect((await here.get(REQUEST, context)).accessToken).not.toBe(accessToken);
    }
  });

  test('tokens in memory are bounded in bytes', async () => {
    const endpoint = new TellingEndpoint();
    const tokens = open(endpoint);
    const long = 'h'.repeat(100_000);
    for (let number = 0; number < 400; number += 1) {
      await tokens.get({ ...REQUEST, hirerId: `${long}${number}` }, context);
    }
    await tokens.get({ ...REQUEST, hirerId: `${long}399` }, context);
    expect(endpoint.mints).toBe(400);
    await tokens.get({ ...REQUEST, hirerId: `${long}0` }, context);
    expect(endpoint.mints).toBe(401);
  });
});
