/* eslint-disable max-lines -- one token, and what can happen to it */
import { pino } from 'pino';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics } from '../telemetry/metrics.js';
import { someSecrets } from '../../test/support/parts.js';
import { SharedCache } from '../storage/shared-cache.js';
import type { PartnerTokenAnswer } from '../upstream/token-grant.js';
import type { Upstream } from '../upstream/upstream.js';
import { RequestContext } from '../http/request-context.js';
import { KeptPartnerTokens } from '../upstream/kept-partner-tokens.js';
import { PartnerTokens } from './partner-tokens.js';
import { SharedTokens } from './shared-tokens.js';
import { openCache } from '../../test/token/open-cache.js';

const PARTNER = {
  ISSUER_TOKEN_URL: new URL('https://issuer.test/token'),
  PARTNER_CLIENT_ID: 'client',
  PARTNER_AUDIENCE: undefined,
  PARTNER_TOKEN_REQUEST: 'json',
} as const;

const clock = { ms: 1_000_000 };
/** How far the wall clock was set back. */
let setBackMs = 0;
const now = (): number => clock.ms - setBackMs;
afterEach(() => void (setBackMs = 0));
const context = (): RequestContext => RequestContext.background();

/** An issuer that answers as told, after `release` when it is held. */
class ScriptedIssuer {
  calls = 0;
  answer: PartnerTokenAnswer | undefined;
  lifeSeconds = 1_800;
  private gate: Promise<void> = Promise.resolve();
  release: () => void = () => undefined;

  hold(): void {
    this.gate = new Promise((resolve) => (this.release = resolve));
  }

  async requestPartnerToken(): Promise<PartnerTokenAnswer> {
    this.calls += 1;
    const number = this.calls;
    await this.gate;
    return this.answer ?? { kind: 'granted', accessToken: `token-${number}`, lifeSeconds: this.lifeSeconds };
  }
}

interface Parts {
  readonly cache?: SharedCache;
  readonly random?: number;
  readonly conditions?: Conditions;
}

function replica(issuer: ScriptedIssuer, parts: Parts = {}): PartnerTokens {
  const { cache = openCache(), random = 0.5, conditions = new Conditions() } = parts;
  const secrets = someSecrets({ PARTNER_CLIENT_SECRET: 'secret' });
  const shared = new SharedTokens(cache, secrets, now);
  const log = pino({ level: 'silent' });
  return new PartnerTokens(
    PARTNER,
    secrets,
    issuer as unknown as Upstream,
    shared,
    new KeptPartnerTokens(),
    log,
    new Metrics(),
    conditions,
    now,
    () => random,
    () => clock.ms,
  );
}

/** The tokens of one replica, and their issuer. */
function setUp(parts?: Parts) {
  const issuer = new ScriptedIssuer();
  return { issuer, tokens: replica(issuer, parts) };
}

/** A refusal by the issuer, for a reason that is not the credentials. */
const refusal = (reason: string, retryAfterSeconds?: number): PartnerTokenAnswer => ({
  kind: 'refused',
  reason,
  credentials: false,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const WRONG_CREDENTIALS = { kind: 'refused', reason: 'status 401', credentials: true } as const;
const unavailable = { code: 'unavailable' };

describe('a wall clock that is set back an hour', () => {
  test('does not stretch the pause after a refusal', async () => {
    const { issuer, tokens } = setUp();
    issuer.answer = WRONG_CREDENTIALS;
    await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
    setBackMs = 3_600_000;
    issuer.answer = undefined;
    clock.ms += 60_000;
    expect(await tokens.get(context())).toBe('token-2');
  });

  test('does not stretch the time in which a replacement is kept', async () => {
    const { tokens } = setUp();
    await tokens.replace(await tokens.get(context()), context());
    expect(await tokens.replace('token-2', context())).toBe(false);
    setBackMs = 3_600_000;
    clock.ms += 5_000;
    expect(await tokens.replace('token-2', context())).toBe(true);
  });

  test('does not lengthen the life of a token in hand', async () => {
    const { tokens } = setUp();
    expect(await tokens.get(context())).toBe('token-1');
    setBackMs = 3_600_000;
    expect(await tokens.get(context())).toBe('token-2');
    expect(tokens.remainingSeconds).toBeLessThanOrEqual(1_800);
  });
});

describe('the partner token', () => {
  test.each([
    [30, 24],
    [120, 96],
    [1_800, 1_740],
    [86_400, 86_340],
  ])('of %i s is never handed out after %i s', async (lifeSeconds, usableSeconds) => {
    const { issuer, tokens } = setUp();
    issuer.lifeSeconds = lifeSeconds;
    const first = await tokens.get(context());
    issuer.answer = refusal('down');
    clock.ms += usableSeconds * 1000 - 1;
    expect(await tokens.get(context())).toBe(first);
    clock.ms += 1;
    await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
  });

  test('is renewed in the background, while callers get the current one immediately', async () => {
    const { issuer, tokens } = setUp();
    await tokens.get(context());
    clock.ms += 1_450_000;
    issuer.hold();
    const during = await Promise.all(Array.from({ length: 1_000 }, async () => tokens.get(context())));
    expect(new Set(during)).toEqual(new Set(['token-1']));
    issuer.release();
    await new Promise(setImmediate);
    expect(await tokens.get(context())).toBe('token-2');
    expect(issuer.calls).toBe(2);
  });

  test('is renewed by the replica whose turn comes first, and the others take what it got', async () => {
    const issuer = new ScriptedIssuer();
    const cache = openCache();
    const [early, late] = [replica(issuer, { cache, random: 0 }), replica(issuer, { cache, random: 0.999 })];
    const ask = async (): Promise<string[]> => {
      const tokens = [await early.get(context()), await late.get(context())];
      await new Promise(setImmediate);
      return tokens;
    };
    expect(await ask()).toEqual(['token-1', 'token-1']);
    clock.ms += 1_306_000;
    await ask();
    clock.ms += 175_000;
    await ask();
    expect(await ask()).toEqual(['token-2', 'token-2']);
    expect(issuer.calls).toBe(2);
  });

  test('an issuer that is down in the renewal window causes no failure, nor for a replica that starts then', async () => {
    const cache = openCache();
    const { issuer, tokens } = setUp({ cache });
    await tokens.get(context());
    issuer.answer = refusal('status 503');
    for (clock.ms += 1_458_000; tokens.ready; clock.ms += 1_000) {
      expect(await tokens.get(context())).toBe('token-1');
      expect(await replica(issuer, { cache }).get(context())).toBe('token-1');
      await new Promise(setImmediate);
    }
    expect(issuer.calls).toBeGreaterThan(1);
  });

  test('is requested once at the start, also when a module that started earlier needed it first', async () => {
    const { issuer, tokens } = setUp({ cache: new SharedCache() });
    await tokens.get(context());
    tokens.onApplicationBootstrap();
    await new Promise(setImmediate);
    expect(issuer.calls).toBe(1);
  });

  test('waiting callers share one request, and its failure', async () => {
    const { issuer, tokens } = setUp();
    issuer.answer = refusal('status 500');
    const failed = await Promise.allSettled(Array.from({ length: 100 }, async () => tokens.get(context())));
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
    expect(issuer.calls).toBe(1);
  });

  test('after each failure the issuer has a pause of up to twice the one before, or of what it asks for', async () => {
    const { issuer, tokens } = setUp({ random: 0.333_3 });
    const pauses: number[] = [];
    for (const retryAfterSeconds of [undefined, undefined, undefined, 7]) {
      issuer.answer = refusal('status 500', retryAfterSeconds);
      await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
      let ms = 0;
      for (; tokens.paused; ms += 1) clock.ms += 1;
      pauses.push(ms);
    }
    expect(pauses).toEqual([83, 167, 333, 7_000]);
  });

  test('refused credentials are not tried again for a minute', async () => {
    const { issuer, tokens } = setUp();
    issuer.answer = WRONG_CREDENTIALS;
    await expect(tokens.get(context())).rejects.toMatchObject({ retryAfterSeconds: 60 });
    clock.ms += 59_999;
    await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
    expect(issuer.calls).toBe(1);
    clock.ms += 1;
    await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
    expect(issuer.calls).toBe(2);
  });

  test('a refused token is replaced once, however many callers report it', async () => {
    const { issuer, tokens } = setUp();
    const seen = await tokens.get(context());
    const renewed = await Promise.all(
      Array.from({ length: 100 }, async () => {
        await tokens.replace(seen, context());
        return tokens.get(context());
      }),
    );
    expect(new Set(renewed)).toEqual(new Set(['token-2']));
    expect(issuer.calls).toBe(2);
  });

  describe('refused by operations that are always refused', () => {
    const REFUSALS = 50;

    test('costs one renewal in 5 s, and the refusals after it are passed on', async () => {
      const { issuer, tokens } = setUp();
      for (let call = 0; call < REFUSALS; call += 1) {
        const seen = await tokens.get(context());
        expect(await tokens.replace(seen, context())).toBe(call === 0);
        clock.ms += 90;
      }
      expect(issuer.calls).toBe(2);
      clock.ms += 5_000;
      expect(await tokens.replace(await tokens.get(context()), context())).toBe(true);
      expect(issuer.calls).toBe(3);
    });

    test('is given to others while there is no new one', async () => {
      const { issuer, tokens } = setUp();
      const seen = await tokens.get(context());
      issuer.hold();
      const replaced = tokens.replace(seen, context());
      expect(await tokens.get(context())).toBe(seen);
      issuer.release();
      expect(await replaced).toBe(true);
      expect(await tokens.get(context())).toBe('token-2');
    });

    test('stays in hand while the issuer answers 429', async () => {
      const { issuer, tokens } = setUp();
      const seen = await tokens.get(context());
      issuer.answer = refusal('status 429', 30);
      const replaced = await Promise.all(
        Array.from({ length: REFUSALS }, () => tokens.replace(seen, context())),
      );
      expect(new Set(replaced)).toEqual(new Set([false]));
      expect(await tokens.get(context())).toBe(seen);
      expect(issuer.calls).toBe(2);
    });
  });

  test('refused by the token endpoint that accepted it before is replaced at once, however new it is', async () => {
    const { issuer, tokens } = setUp();
    for (let round = 1; round <= 3; round += 1) {
      const seen = await tokens.get(context());
      tokens.confirm(seen);
      expect(await tokens.replace(seen, context(), 'token-endpoint')).toBe(true);
    }
    const unproven = await tokens.get(context());
    expect(await tokens.replace(unproven, context(), 'token-endpoint')).toBe(false);
    expect(issuer.calls).toBe(4);
  });

  test.each(['operation', 'token-endpoint'] as const)(
    'of an issuer that gives the same text again costs one request for each refusal by the %s',
    async (by) => {
      const { issuer, tokens } = setUp();
      issuer.answer = { kind: 'granted', accessToken: 'always the same', lifeSeconds: 1_800 };
      const token = await tokens.get(context());
      expect(await tokens.replace(token, context(), by)).toBe(true);
      expect(await tokens.get(context())).toBe(token);
      expect(issuer.calls).toBe(2);
    },
  );

  test('refused by the token endpoint is not handed out again, though there is no new one', async () => {
    const { issuer, tokens } = setUp();
    const seen = await tokens.get(context());
    issuer.answer = refusal('status 429', 30);
    await tokens.replace(seen, context(), 'token-endpoint');
    await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
    expect(issuer.calls).toBe(2);
  });

  test('replicas share one token, sealed, and a refused one is not taken back from another', async () => {
    const issuer = new ScriptedIssuer();
    const cache = openCache();
    const [first, second] = [replica(issuer, { cache }), replica(issuer, { cache })];
    const token = await first.get(context());
    expect(await second.get(context())).toBe(token);
    expect(issuer.calls).toBe(1);
    expect([...cache.values.values()].some((value) => value.includes(token))).toBe(false);
    await second.replace(token, context());
    expect(await second.get(context())).toBe('token-2');
  });

  test('refused is replaced by that of another replica while the issuer is not asked', async () => {
    const issuer = new ScriptedIssuer();
    const cache = openCache();
    const [early, late] = [
      replica(issuer, { cache, random: 0.001 }),
      replica(issuer, { cache, random: 0.999 }),
    ];
    for (const tokens of [early, late]) expect(await tokens.get(context())).toBe('token-1');
    clock.ms += 1_310_000;
    issuer.answer = refusal('status 429', 3_600);
    await early.get(context());
    await new Promise(setImmediate);
    issuer.answer = undefined;
    clock.ms += 172_000;
    await late.get(context());
    await new Promise(setImmediate);
    expect(await early.replace('token-1', context())).toBe(true);
    expect(await early.get(context())).toBe(await late.get(context()));
    expect(issuer.calls).toBe(3);
  });
});

test('a secret that is rotated while the issuer refuses the one before is asked with at once', async () => {
  const { issuer, tokens } = setUp();
  Object.defineProperty(issuer, 'answer', { get: () => (issuer.calls > 1 ? undefined : WRONG_CREDENTIALS) });
  issuer.hold();
  const asked = tokens.get(context());
  await new Promise(setImmediate);
  tokens['secrets'].current = { ...tokens['secrets'].current, PARTNER_CLIENT_SECRET: 'new' };
  issuer.release();
  expect(await asked).toBe('token-2');
});

test.each([
  ['credentials-refused', WRONG_CREDENTIALS],
  ['issuer-failing', refusal('status 503')],
])('%s ends on a replica that takes the token of another', async (name, fault) => {
  const issuer = new ScriptedIssuer();
  const cache = openCache();
  const conditions = new Conditions();
  const [early, late] = [replica(issuer, { cache }), replica(issuer, { cache, random: 0.999, conditions })];
  issuer.answer = fault;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await expect(late.get(context())).rejects.toMatchObject(unavailable);
    clock.ms += 60_000;
  }
  await conditions.look();
  expect(conditions.active().map((one) => one.name)).toContain(name);
  issuer.answer = undefined;
  const token = await early.get(context());
  expect(await late.get(context())).toBe(token);
  await conditions.look();
  expect(conditions.active()).toEqual([]);
});

test('refused credentials are tried again where nobody asks for a token', async () => {
  const conditions = new Conditions();
  const { issuer, tokens } = setUp({ conditions });
  await tokens.get(context());
  clock.ms += 1_400_000;
  issuer.answer = WRONG_CREDENTIALS;
  await tokens.get(context());
  await new Promise(setImmediate);
  issuer.answer = undefined;
  clock.ms += 60_000;
  for (let look = 0; look < 2; look += 1) {
    await conditions.look();
    await new Promise(setImmediate);
  }
  expect(tokens.remainingSeconds).toBe(1_800);
});

test('refused credentials are a condition of the operator from the first refusal until the first grant', async () => {
  const conditions = new Conditions();
  const { issuer, tokens } = setUp({ conditions });
  issuer.answer = WRONG_CREDENTIALS;
  await expect(tokens.get(context())).rejects.toMatchObject(unavailable);
  await conditions.look();
  expect(conditions.active()).toMatchObject([
    { name: 'partner-token-missing', culprit: 'operator' },
    { name: 'credentials-refused', culprit: 'operator', summary: expect.stringContaining('(status 401)') },
  ]);
  issuer.answer = undefined;
  clock.ms += 60_000;
  await tokens.get(context());
  await conditions.look();
  expect(conditions.active()).toEqual([]);
});
