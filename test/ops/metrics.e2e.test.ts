import supertest from 'supertest';
import { askToken, useStack } from '../support/start-stack.js';

const stack = useStack();

/** Every metric that the exposition declares: its type, the names of its labels and the number of its series. */
async function scrape() {
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  const metrics = new Map<string, { type: string; labels: Set<string>; series: number }>();
  for (const [, name] of text.matchAll(/^# HELP (\S+) .+$/gm)) {
    const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text)![1]!;
    metrics.set(name!, { type, labels: new Set(), series: 0 });
  }
  for (const [, sample, labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const name = metrics.has(sample!) ? sample! : sample!.replace(/_(bucket|sum|count)$/, '');
    const metric = metrics.get(name)!;
    metric.series += 1;
    for (const [, label] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') metric.labels.add(label!);
  }
  return metrics;
}

describe('GET /metrics', () => {
  beforeAll(async () => {
    const amelia = await stack.playground.signIn('amelia');
    const { hirerId } = stack.playground.demo.hirers[0]!;
    for (let i = 0; i < 2; i += 1) await askToken(stack, amelia, { hirerId, scope: 'query:organizations' });
    await askToken(stack, amelia, { hirerId: 'someone:elses', scope: 'query:organizations' });
    await askToken(stack, undefined, {});
  });

  test.each<[string, string, string[]]>([
    ['bff_http_request_duration_seconds', 'histogram', ['method', 'route', 'status']],
    ['bff_browser_tokens_total', 'counter', ['outcome', 'source']],
    ['bff_partner_token_requests_total', 'counter', ['outcome']],
    ['bff_partner_token_remaining_seconds', 'gauge', []],
    ['bff_upstream_request_duration_seconds', 'histogram', ['outcome', 'target']],
    ['bff_audit_dropped_total', 'counter', []],
    ['bff_audit_queue_records', 'gauge', []],
    ['bff_build_info', 'gauge', ['node', 'version']],
    ['bff_secret_reloads_total', 'counter', ['outcome']],
    ['bff_schema_checks_total', 'counter', ['outcome']],
    ['bff_schema_drift_entries', 'gauge', []],
    ['nodejs_eventloop_lag_p99_seconds', 'gauge', []],
    ['process_resident_memory_bytes', 'gauge', []],
  ])('has %s, a %s by %j', async (name, type, labels) => {
    const metric = (await scrape()).get(name);
    expect({ type: metric?.type, labels: [...(metric?.labels ?? [])].sort() }).toEqual({ type, labels });
  });

  test('100 users of 50 hirers and odd requests add no series of ours', async () => {
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const warm = async (): Promise<void> => {
      await supertest(stack.url).patch('/auth/token');
      await supertest(stack.url).get('/nowhere');
      await askToken(stack, await stack.playground.signIn('warm'), { hirerId, scope: 'query:organizations' });
    };
    await warm();
    const count = async (): Promise<number> =>
      [...(await scrape())]
        .filter(([name]) => name.startsWith('bff_'))
        .reduce((total, [, { series }]) => total + series, 0);
    const before = await count();
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, i) => stack.playground.signIn(`user-${i}`)),
    );
    for (const [i, token] of tokens.entries()) {
      await askToken(stack, token, { hirerId: `hirer:${i % 50}`, scope: 'query:organizations' });
      await supertest(stack.url).get(`/nowhere/${i}`).set({ 'x-request-id': 'x' });
    }
    expect(await count()).toBe(before);
    expect(before).toBeLessThan(1_000);
  });
});

test('no metric has a label for a person, a tenant or a request', async () => {
  const labels = new Set([...(await scrape()).values()].flatMap((metric) => [...metric.labels]));
  for (const identifier of ['user', 'userId', 'hirer', 'hirerId', 'subject', 'requestId']) {
    expect(labels.has(identifier)).toBe(false);
  }
});
