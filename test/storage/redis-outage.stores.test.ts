import supertest from 'supertest';
import { askToken } from '../support/ask-token.js';
import { startStack } from '../support/start-stack.js';
import { openTcpGate } from '../support/raw-connection.js';
import { testRedis } from '../support/programs.js';
import { until } from '../support/until.js';

const SCOPE = 'query:organizations';

test('a Redis that cannot be reached at the start does not keep the service from issuing tokens', async () => {
  const stack = await startStack({ REDIS_URL: 'redis://127.0.0.1:1' });
  const { hirerId } = stack.playground.demo.hirers[0]!;
  const token = await stack.playground.signIn('amelia');
  expect((await askToken(stack, token, { hirerId, scope: SCOPE })).status).toBe(200);
  const { body } = await supertest(stack.opsUrl).get('/readyz');
  expect(body).toMatchObject({ status: 'degraded', checks: { cache: { state: 'degraded' } } });
});

const server = testRedis();
if (server) {
  test('a Redis that stops neither hangs the service nor disables its limits, and log and metrics report it', async () => {
    const gate = await openTcpGate(Number(server.port || 6379), server.hostname);
    const url = new URL(server);
    url.host = `127.0.0.1:${gate.port}`;
    const stack = await startStack({ REDIS_URL: url.href, RATE_LIMIT_REQUESTS_PER_MINUTE: '40' });
    const token = await stack.playground.signIn('amelia');
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const ask = async (): Promise<number> => (await askToken(stack, token, { hirerId, scope: SCOPE })).status;
    const circuit = async (): Promise<string | undefined> =>
      /^bff_circuit_open\{target="redis"\} (\d)$/m.exec(
        (await supertest(stack.opsUrl).get('/metrics')).text,
      )?.[1];
    const logged = (sentence: string): number => stack.logText().split(sentence).length - 1;
    expect(await ask()).toBe(200);
    expect(await circuit()).toBe('0');
    gate.stall();
    const statuses = await Promise.all(Array.from({ length: 60 }, ask));
    expect([...new Set(statuses)].sort()).toEqual([200, 429]);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(39);
    await until(async () => (await circuit()) === '1');
    expect(logged('"msg":"Redis is down')).toBe(1);
    gate.resume();
    await until(async () => (await circuit()) === '0');
    expect(logged('"msg":"Redis answers again')).toBe(1);
  });
}
