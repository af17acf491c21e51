import { Metrics } from '../../telemetry/metrics.js';
import { takeSample } from './dashboard-sampler.js';

test('a webhook that cannot be stored is among the requests that failed', async () => {
  const metrics = new Metrics();
  metrics.counter('bff_webhook_requests_total', 'Requests.', ['outcome']).inc({ outcome: 'unavailable' });
  const [{ requests }] = await takeSample(metrics, { time: 0, counters: {} });
  expect(requests.webhook).toEqual({ unavailable: 1 });
});
