import { BacklogTrends } from './backlog-trends.js';

describe('the end of a backlog', () => {
  let seconds = 0;
  let trends: BacklogTrends;
  beforeEach(() => {
    seconds = 0;
    trends = new BacklogTrends(() => seconds * 1_000);
  });

  function endAfter(...levels: [atSeconds: number, waiting: number][]): number | undefined {
    let end: number | undefined;
    for (const [at, waiting] of levels) {
      seconds = at;
      end = trends.endSeconds('crm', waiting);
    }
    return end;
  }

  test('follows from how it shrinks', () => {
    expect(endAfter([0, 10_000], [60, 9_000])).toBe(540);
  });

  test('is judged from its highest level, so that an outage before does not count', () => {
    expect(endAfter([0, 100], [30, 600], [60, 1_000], [70, 900])).toBe(90);
  });

  test('is not known while it does not shrink', () => {
    expect(endAfter([0, 100])).toBeUndefined();
    expect(endAfter([0, 100], [10, 100], [20, 140])).toBeUndefined();
  });

  test('forgets what was more than five minutes ago', () => {
    expect(endAfter([0, 1_000], [10, 500], [311, 500])).toBeUndefined();
  });

  test('is now when nothing waits, and of each sink by itself', () => {
    expect(endAfter([0, 50], [5, 0])).toBe(0);
    expect(trends.endSeconds('ats', 40)).toBeUndefined();
  });
});
