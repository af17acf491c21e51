import { PartnerTokenState, withTimes, type TimedToken } from './partner-token-state.js';
import type { RefusedBy } from './token-renewal.js';

const START = 1_000_000;
const LIFE_MS = 1_800_000;

const token = (accessToken: string, issuedAt = START, lifeMs = LIFE_MS): TimedToken =>
  withTimes({ accessToken, issuedAt, expiresAt: issuedAt + lifeMs }, 0.5);

function holding(...names: readonly string[]): PartnerTokenState {
  const state = new PartnerTokenState();
  for (const name of names) state.take(token(name), START);
  return state;
}

/** The token in hand is refused and renewed, as `renew` has it. */
function renewed(state: PartnerTokenState, by: RefusedBy, renew: () => void = () => undefined): boolean {
  const refused = state.token!;
  state.refuse(refused.accessToken, by, START);
  renew();
  return state.endRenewal(refused, by);
}

/** `first` was refused, and `second` has replaced it at the start. */
function replaced(): PartnerTokenState {
  const state = holding('first');
  state.refuse('first', 'operation', START);
  state.take(token('second'), START);
  return state;
}

describe('the times of a partner token', () => {
  test.each([
    [30_000, 24_000],
    [120_000, 96_000],
    [1_800_000, 1_740_000],
    [86_400_000, 86_340_000],
  ])('of %i ms leave a minute, or a fifth, of its life unused', (lifeMs, usableMs) => {
    expect(token('first', START, lifeMs).unusableAt).toBe(START + usableMs);
  });

  test('spread its renewal over seven to nine tenths of its life, and before it is unusable', () => {
    const shared = { accessToken: 'first', issuedAt: 0, expiresAt: LIFE_MS };
    const renewals = [0, 0.5, 1].map((jitter) => withTimes(shared, jitter).renewAt / LIFE_MS);
    expect(renewals).toEqual([0.7, 0.8, 0.87].map((share) => expect.closeTo(share, 3)));
  });
});

describe('the token in hand', () => {
  test('is handed out until it is about to expire, and is due to be renewed before', () => {
    const state = holding('first');
    const { renewAt, unusableAt } = state.token!;
    expect([state.isRenewalDueAt(renewAt - 1), state.isRenewalDueAt(renewAt)]).toEqual([false, true]);
    expect([state.usableAt(unusableAt - 1), state.usableAt(unusableAt)]).toEqual(['first', undefined]);
  });

  test('is absent at first, and no request is due', () => {
    const state = new PartnerTokenState();
    expect(state.usableAt(START)).toBeUndefined();
    expect([state.wasGranted, state.isRenewalDueAt(START)]).toEqual([false, false]);
  });

  test('once granted remains known as granted, also when it was refused and is not handed out again', () => {
    const state = holding('first');
    renewed(state, 'token-endpoint');
    expect([state.wasGranted, state.token]).toEqual([true, undefined]);
  });
});

describe('a refusal', () => {
  test('asks for a new token, and the old one serves until it is there', () => {
    const state = holding('first');
    const { token: refused } = state;
    expect(state.refuse('first', 'operation', START)).toBe('renew');
    expect(state.usableAt(START)).toBe('first');
    state.take(token('second'), START);
    expect(state.endRenewal(refused!, 'operation')).toBe(true);
    expect(state.usableAt(START)).toBe('second');
  });

  test('of a token that is in hand no more changes nothing', () => {
    const state = holding('first', 'second');
    expect(state.refuse('first', 'token-endpoint', START)).toBe('gone');
    expect(state.usableAt(START)).toBe('second');
  });

  test('of a token that replaced a refused one is passed on for 5 s', () => {
    const state = replaced();
    expect(state.refuse('second', 'operation', START + 4_999)).toBe('pass-on');
    expect(state.refuse('second', 'operation', START + 5_000)).toBe('renew');
  });

  test('holds no token that was renewed for its age', () => {
    const state = replaced();
    state.take(token('third'), START + 60_000);
    expect(state.refuse('third', 'operation', START + 60_000)).toBe('renew');
  });

  test('by the token endpoint, of what it accepted before, is believed at once', () => {
    const state = replaced();
    expect(state.refuse('second', 'token-endpoint', START)).toBe('pass-on');
    state.confirm('second');
    expect(state.refuse('second', 'operation', START)).toBe('pass-on');
    expect(state.refuse('second', 'token-endpoint', START)).toBe('renew');
  });

  test('finds a new token unconfirmed, whatever was confirmed before', () => {
    const state = replaced();
    state.confirm('first');
    expect(state.refuse('second', 'token-endpoint', START)).toBe('pass-on');
    state.confirm('second');
    state.refuse('second', 'token-endpoint', START);
    state.take(token('third'), START);
    expect(state.refuse('third', 'token-endpoint', START)).toBe('pass-on');
  });

  test.each([
    ['operation', 'first', false],
    ['token-endpoint', undefined, true],
  ] as const)('by the %s without a new token leaves %s in hand', (by, left, isAnother) => {
    const state = holding('first');
    expect(renewed(state, by)).toBe(isAnother);
    expect(state.usableAt(START)).toBe(left);
  });

  test.each(['operation', 'token-endpoint'] as const)(
    'by the %s is over when the issuer gives the same text again, which is held as any other',
    (by) => {
      const state = holding('first');
      expect(renewed(state, by, () => state.take(token('first'), START))).toBe(true);
      expect(state.usableAt(START)).toBe('first');
      expect(state.refuse('first', by, START + 4_999)).toBe('pass-on');
      expect(state.canShareAt(START, token('first'))).toBe(true);
      expect(state.refuse('first', by, START + 5_000)).toBe('renew');
    },
  );

  test('holds the next token also when the refused one was given up', () => {
    const state = holding('first');
    renewed(state, 'token-endpoint');
    state.take(token('second'), START);
    expect(state.refuse('second', 'operation', START)).toBe('pass-on');
  });
});

describe('a shared token', () => {
  test('is taken while it is young, and never if it is the refused one', () => {
    const state = holding('first');
    const other = token('other');
    expect([START, other.renewAt].map((now) => state.canShareAt(now, other))).toEqual([true, false]);
    expect(state.canShareAt(START, token('first'))).toBe(true);
    state.refuse('first', 'operation', START);
    expect(state.canShareAt(START, token('first'))).toBe(false);
  });
});
