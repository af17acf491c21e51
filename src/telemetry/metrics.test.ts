import { Metrics } from './metrics.js';

describe('Metrics', () => {
  test('include every count made before they are read', async () => {
    const metrics = new Metrics();
    const count = metrics.counter('things_total', 'Things.', ['kind']);
    const times = metrics.duration('thing_seconds', 'Time of a thing.', ['kind']);
    count.inc({ kind: 'a' });
    count.inc({ kind: 'a' }, 2);
    times.observe({ kind: 'a' }, 1.5);
    const text = await metrics.registry.metrics();
    expect(text).toContain('things_total{kind="a"} 3');
    expect(text).toContain('thing_seconds_bucket{le="2",kind="a"} 1');
    expect(text).toContain('thing_seconds_bucket{le="1",kind="a"} 0');
  });

  test('lose no count when there are many', async () => {
    const metrics = new Metrics();
    const count = metrics.counter('things_total', 'Things.', []);
    for (let thing = 0; thing < 10_000; thing += 1) count.inc({});
    expect(await metrics.samples('things_total')).toMatchObject([{ value: 10_000 }]);
  });
});
