import { CircuitBreaker, type CallOutcome } from './circuit-breaker.js';

let now: number;
let breaker: CircuitBreaker;
/** Begins a call; what is returned ends it. */
function enter(user: string): (outcome: CallOutcome) => void {
  breaker.enter(user);
  return (outcome) => breaker.leave(user, outcome);
}
const calls = (count: number, outcome: CallOutcome, user = 'a'): void => {
  for (let call = 0; call < count; call += 1) enter(user)(outcome);
};
const failForTwo = (count: number): void => {
  for (const user of ['a', 'b']) calls(count, 'failed', user);
};

beforeEach(() => {
  now = 1_000_000;
  breaker = new CircuitBreaker(() => now);
});

describe('the breaker', () => {
  test('stays closed under twenty calls, and under one half of failures', () => {
    calls(10, 'failed', 'a');
    calls(9, 'failed', 'b');
    expect(breaker.waitMs('a')).toBe(0);
    now += 11_000;
    for (const user of ['a', 'b']) {
      calls(30, 'succeeded', user);
      calls(29, 'failed', user);
    }
    expect(breaker.waitMs('a')).toBe(0);
  });

  test('opens at one half, for five seconds', () => {
    for (const user of ['a', 'b']) {
      calls(10, 'succeeded', user);
      calls(10, 'failed', user);
    }
    expect(breaker.waitMs('a')).toBe(5_000);
    now += 4_999;
    expect(breaker.waitMs('a')).toBe(1);
  });

  test('counts no failure older than ten seconds, and no call that was cancelled', () => {
    failForTwo(9);
    now += 10_000;
    failForTwo(1);
    for (const user of ['a', 'b']) calls(100, 'unknown', user);
    expect(breaker.waitMs('a')).toBe(0);
  });

  test.each([
    ['closes', 'succeeded', 0],
    ['holds that user back', 'failed', 5_000],
    ['lets another call try', 'unknown', 0],
  ] as const)('half open lets a call through and %s when it %s', (_, outcome, wait) => {
    failForTwo(10);
    now += 5_000;
    expect(breaker.waitMs('a')).toBe(0);
    const settle = enter('a');
    expect(breaker.waitMs('a')).toBeGreaterThan(0);
    settle(outcome);
    expect(breaker.waitMs('a')).toBe(wait);
  });

  test('is not opened by one user, alone or beside others whose calls succeed', () => {
    calls(1_000, 'failed', 'loud');
    expect(breaker.isOpen).toBe(false);
    for (const user of ['b', 'c', 'd']) calls(10, 'succeeded', user);
    calls(1_000, 'failed', 'loud');
    expect(breaker.isOpen).toBe(false);
  });

  test('is not opened by one user beside others whose calls fail now and then', () => {
    for (const user of ['b', 'c', 'd', 'e']) calls(9, 'succeeded', user);
    for (const user of ['b', 'c', 'd', 'e']) calls(1, 'failed', user);
    calls(1_000, 'failed', 'loud');
    expect(breaker.isOpen).toBe(false);
  });

  test('is opened by an upstream that fails for two users, or once for each of twenty', () => {
    failForTwo(10);
    expect(breaker.waitMs('c')).toBe(5_000);
    breaker = new CircuitBreaker(() => now);
    for (let user = 0; user < 20; user += 1) calls(1, 'failed', `user-${user}`);
    expect(breaker.isOpen).toBe(true);
  });

  test('is not kept open by one user whose calls hang or fail', () => {
    calls(10, 'failed', 'a');
    calls(10, 'failed', 'loud');
    for (let round = 0; round < 3; round += 1) {
      now += 5_000;
      expect(breaker.waitMs('loud')).toBe(0);
      enter('loud')('failed');
      expect(breaker.waitMs('loud')).toBe(5_000);
      expect(breaker.waitMs('a')).toBe(0);
    }
    enter('a')('succeeded');
    expect(breaker.isOpen).toBe(false);
  });

  test('half open lets one call of each of three users through, every five seconds', () => {
    failForTwo(10);
    now += 5_000;
    for (const user of ['a', 'b', 'c']) enter(user)('failed');
    expect(breaker.waitMs('d')).toBe(5_000);
    now += 5_000;
    expect(breaker.waitMs('d')).toBe(0);
  });
});
