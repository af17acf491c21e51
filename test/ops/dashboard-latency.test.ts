import { pathToFileURL } from 'node:url';

type Quantile = (
  histogram: Record<string, number>,
  boundsSeconds: readonly number[],
  share: number,
) => number | null;

const BOUNDS = [0.01, 0.1, 1];
let quantile: Quantile;
beforeAll(async () => {
  const file = pathToFileURL('src/ops/dashboard/page/latency.js').href;
  ({ quantile } = (await import(file)) as { quantile: Quantile });
});

describe('the quantile of a histogram', () => {
  test('is linear within its bucket', () => {
    expect(quantile({ '0.1': 100 }, BOUNDS, 0.5)).toBe(55);
    expect(quantile({ '0.01': 50, '0.1': 50 }, BOUNDS, 0.95)).toBe(91);
  });

  test('of many fast requests and one slow one is not that of the slow one', () => {
    expect(quantile({ '0.01': 999, '1': 1 }, BOUNDS, 0.95)).toBeLessThan(10);
  });

  test('beyond the last bound is that bound, and without requests is unknown', () => {
    expect(quantile({ Infinity: 3 }, BOUNDS, 0.95)).toBe(1_000);
    expect(quantile({}, BOUNDS, 0.95)).toBeNull();
  });
});
