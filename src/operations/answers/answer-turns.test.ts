import { AnswerTurns } from './answer-turns.js';
import type { Steps } from '../../concurrency/steps.js';
import type { GraphqlResult } from '../transport/graphql-result.js';

const LIMIT = 1_048_576;
const answer = (bytes: number): GraphqlResult => ({
  status: 200,
  body: Buffer.alloc(bytes),
  errors: undefined,
});
const LARGE = answer(LIMIT);
const open = (): AnswerTurns => new AnswerTurns({ REGISTERED_ANSWER_LIMIT_BYTES: LIMIT });
const orders = [
  ['A', 'B'],
  ['B', 'A'],
] as const;

describe('turns', () => {
  test.each(orders)('%s with many large answers does not hold up one of %s', async (first, second) => {
    const turns = open();
    const log: string[] = [];
    function* steps(name: string): Steps<string> {
      log.push(`${name} begins`);
      yield;
      log.push(`${name} ends`);
      return name;
    }
    const many = Array.from({ length: 4 }, (_, index) =>
      turns.shape(first, LARGE, steps(`${first}${index}`)),
    );
    const results = await Promise.all([...many, turns.shape(second, LARGE, steps(second))]);
    expect(results).toEqual([0, 1, 2, 3].map((index) => `${first}${index}`).concat(second));
    const shaped = [`${first}0`, `${first}1`, second, `${first}2`, `${first}3`];
    expect(log.filter((line) => line.startsWith(second))).toEqual([`${second} begins`, `${second} ends`]);
    expect(log.indexOf(`${second} begins`)).toBeLessThanOrEqual(4);
    expect(log).toHaveLength(2 * shaped.length);
    for (let at = 0; at < log.length; at += 2) {
      expect(log[at]!.split(' ')[0]).toBe(log[at + 1]!.split(' ')[0]);
    }
  });

  test('others have a turn between the steps of a large answer, and a small one needs none', async () => {
    const turns = open();
    const log: string[] = [];
    function* steps(): Steps<void> {
      log.push('first step');
      setImmediate(() => log.push('another'));
      yield;
      log.push('second step');
    }
    await turns.shape('A', LARGE, steps());
    expect(log).toEqual(['first step', 'another', 'second step']);
    expect(turns.shape('A', answer(16_384), steps())).toBeUndefined();
  });

  test('an answer that fails leaves the next one alone', async () => {
    const turns = open();
    function* failing(): Steps<void> {
      yield;
      throw new Error('broken');
    }
    function* working(): Steps<string> {
      yield;
      return 'ok';
    }
    const broken = turns.shape('A', LARGE, failing());
    const next = turns.shape('A', LARGE, working());
    await expect(broken).rejects.toThrow('broken');
    await expect(next).resolves.toBe('ok');
  });
});

describe('budget', () => {
  test.each(orders)('%s may have 16 answers of full size under way, whatever %s has', (one, other) => {
    const turns = open();
    const releases = Array.from({ length: 16 }, () => turns.hold(one, LARGE));
    expect(() => turns.hold(one, LARGE)).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }),
    );
    turns.hold(one, answer(16_384));
    turns.hold(other, LARGE);
    releases[0]!();
    turns.hold(one, LARGE);
  });

  test('all users together may have 128', () => {
    const turns = open();
    for (let user = 0; user < 8; user += 1) {
      for (let held = 0; held < 16; held += 1) turns.hold(`user ${user}`, LARGE);
    }
    expect(() => turns.hold('another', LARGE)).toThrow(
      expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }),
    );
  });
});
