import supertest from 'supertest';
import { askToken, startStack } from '../support/start-stack.js';
import { openTcpGate } from '../support/raw-connection.js';
import { testRedis } from '../support/machine.js';
import { until } from '../support/until.js';

const SCOPE = 'query:organizations';
/** Calls of the last minute count. */
const A_MINUTE_AND_A_HALF_MS = 90_000;

test('a Redis that cannot be reached at the start does not keep the service from issuing tokens', async () => {
  const stack = await startStack({ REDIS_URL: 'redis://127.0.0.1:1' });
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const token = await stack.playground.signIn('amelia');
  expect((await askToken(stack, token, { hirerId, scope: SCOPE })).status).toBe(200);
  await until(async () => {
    const { body } = await supertest(stack.opsUrl).get('/readyz');
    return body.status === 'degraded' && body.checks.cache.state === 'degraded';
  });
});

const server = testRedis();
if (server) {
  test('a Redis that stops neither hangs the service nor disables its limits, and the log has its begin and end', async () => {
    const gate = await openTcpGate(Number(server.port || 6379), server.hostname);
    const url = new URL(server);
    url.host = `127.0.0.1:${gate.port}`;
    const stack = await startStack({ REDIS_URL: url.href, RATE_LIMIT_REQUESTS_PER_MINUTE: '40' });
    const token = await stack.playground.signIn('amelia');
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const ask = async (): Promise<number> => (await askToken(stack, token, { hirerId, scope: SCOPE })).status;
    const logged = (level: string): number =>
      stack.logText().match(new RegExp(`"level":"${level}".*"condition":"redis-failing"`, 'g'))?.length ?? 0;
    expect(await ask()).toBe(200);
    gate.stall();
    const statuses = await Promise.all(Array.from({ length: 60 }, ask));
    expect([...new Set(statuses)].sort()).toEqual([200, 429]);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(39);
    await until(() => logged('warn') > logged('info'));
    gate.resume();
    await until(() => logged('info') === logged('warn'), A_MINUTE_AND_A_HALF_MS);
  });
}
