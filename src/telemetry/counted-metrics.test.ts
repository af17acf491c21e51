import { Counter, Histogram, Registry } from 'prom-client';
import { CounterMetric, HistogramMetric } from './counted-metrics.js';

const KINDS = ['a', 'b "quoted"', 'c\\d\n'];
const BOUNDS = [0.001, 0.5, 1];
const VALUES = [0, 0.001, 0.0011, 0.5, 0.7, 1, 1.5, 1e9, -1];

/** Both registries after the same counts: one of prom-client's own metrics, one of ours. */
function countTwice(): Registry[] {
  const [theirs, ours] = [new Registry(), new Registry()];
  const names = { help: 'Of "things"\\\n.', labelNames: ['kind', 'place'] as const };
  const counters = [
    new Counter({ ...names, name: 'things_total', registers: [theirs] }),
    new CounterMetric('things_total', names.help, names.labelNames),
  ];
  const histograms = [
    new Histogram({ ...names, name: 'thing_seconds', buckets: BOUNDS, registers: [theirs] }),
    new HistogramMetric('thing_seconds', names.help, names.labelNames, BOUNDS),
  ];
  for (const metric of [counters[1], histograms[1]]) ours.registerMetric(metric as Counter);
  for (const [index, value] of VALUES.entries()) {
    const kind = KINDS[index % KINDS.length]!;
    for (const counter of counters) counter.inc({ place: 'here', kind }, index / 8);
    for (const histogram of histograms) {
      histogram.observe(index % 2 === 0 ? { kind } : { kind, place: 'x' }, value);
    }
  }
  return [theirs, ours];
}

test('series, their order, labels, buckets and sums are exposed as prom-client exposes its own', async () => {
  const [theirs, ours] = await Promise.all(countTwice().map((registry) => registry.metrics()));
  expect(ours).toContain('thing_seconds_bucket{le="+Inf",kind="a"} 2');
  expect(ours).toBe(theirs);
});

test('metrics without labels are 0 until something is counted', async () => {
  const { values } = await new CounterMetric('things_total', 'Things.', []).get();
  expect(values).toEqual([{ labels: {}, value: 0 }]);
  const seconds = await new HistogramMetric('thing_seconds', 'Seconds.', [], [1]).get();
  expect(seconds.values).toMatchObject([
    { labels: { le: 1 }, value: 0 },
    { value: 0 },
    { value: 0 },
    { value: 0 },
  ]);
});

describe('what cannot be counted is refused, and counts for nothing:', () => {
  const count = new CounterMetric('things_total', 'Things.', ['kind']);
  const times = new HistogramMetric('thing_seconds', 'Seconds.', ['kind'], [1]);
  const unknown = { kind: 'a', user: 'ada' };

  test.each([
    ['a label that the counter does not have', () => count.inc(unknown), TypeError],
    ['a label that the histogram does not have', () => times.observe(unknown, 1), TypeError],
    ['a count that is no number', () => count.inc({ kind: 'a' }, NaN), RangeError],
    ['a fall', () => count.inc({ kind: 'a' }, -1), RangeError],
    ['a duration that is no number', () => times.observe({ kind: 'a' }, NaN), RangeError],
    ['a duration without end', () => times.observe({ kind: 'a' }, Infinity), RangeError],
  ])('%s', async (_what, work, fault) => {
    count.inc({ kind: 'a' });
    times.observe({ kind: 'a' }, 1);
    const read = () => Promise.all([count.get(), times.get()]);
    const before = await read();
    expect(work).toThrow(fault);
    expect(await read()).toEqual(before);
  });
});
