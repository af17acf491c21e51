import { Metrics } from '../telemetry/metrics.js';
import { exposeSum, type MetricData } from '../telemetry/sum-metrics.js';
import { DepartedCounts } from './departed-counts.js';

/** What a worker reads after so many things, of which so many are open. */
async function worker(things: number, open: number): Promise<readonly MetricData[]> {
  const metrics = new Metrics();
  const count = metrics.counter('things_total', 'Things.', ['kind']);
  const times = metrics.duration('thing_seconds', 'Time of a thing.', [], [1]);
  metrics.gauge('open_things', 'Open things.', [], (gauge) => gauge.set(open));
  metrics.gauge('least_things', 'Least things.', [], (gauge) => gauge.set(open), 'min');
  metrics.gauge('most_things', 'Most things.', [], (gauge) => gauge.set(open || NaN), 'max');
  count.inc({ kind: 'a' }, things);
  for (let done = 0; done < things; done += 1) times.observe({}, 0.5);
  return metrics.read();
}

async function sumOf(...processes: readonly (readonly MetricData[])[]): Promise<string> {
  const { text } = await exposeSum(processes);
  return text
    .split('\n')
    .filter((line) => /^\w*thing/.test(line))
    .join(' ');
}

test('counts of several processes are added up; a gauge says how its values become one', async () => {
  expect(await sumOf(await worker(2, 3), await worker(5, 4))).toBe(
    'things_total{kind="a"} 7 thing_seconds_bucket{le="1"} 7 thing_seconds_bucket{le="+Inf"} 7 ' +
      'thing_seconds_sum 3.5 thing_seconds_count 7 open_things 7 least_things 3 most_things 4',
  );
});

test('counts of those that ended stay, their gauges go, and silent ones count as last read', async () => {
  const departed = new DepartedCounts();
  departed.note(1, await worker(2, 3));
  departed.note(2, await worker(5, 4));
  departed.depart(2);
  departed.note(2, await worker(1, 1));
  departed.depart(2);
  departed.depart(2); // nothing was read of this one
  const text = await sumOf(await worker(10, 1), ...departed.besides(new Set([2])));
  expect(text).toContain('things_total{kind="a"} 18 ');
  expect(text).toContain('thing_seconds_count 18 open_things 1 least_things 1 most_things 1');
});
