import { until } from '../../test/support/until.js';
import { EventLoopDelay } from './event-loop-delay.js';
import { Metrics } from './metrics.js';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('work that holds the event loop is in the histogram, in a bucket above its length', async () => {
  const metrics = new Metrics();
  const delay = new EventLoopDelay(metrics);
  const longer = async (seconds: number): Promise<number> => {
    const samples = await metrics.samples('bff_event_loop_delay_seconds');
    const count = (le: number | '+Inf'): number =>
      samples.find(({ labels }) => labels['le'] === le)?.value ?? 0;
    return count('+Inf') - count(seconds);
  };
  expect(await longer(0.25)).toBe(0);
  delay.onApplicationBootstrap();
  work(400);
  await until(async () => (await longer(0.25)) >= 1);
  delay.onApplicationShutdown();
});
