import supertest from 'supertest';
import { freePort } from '../../bench/server-process.js';
import { startPlayground } from '../../playground/src/playground.js';
import { runProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { NOWHERE, TwoWorkers, WORKER_DATABASES } from './two-workers.js';

for (const { name, open } of WORKER_DATABASES) {
  describe(`two workers on ${name} and Redis`, () => {
    let two: TwoWorkers;

    beforeAll(async () => {
      two = await TwoWorkers.open(open);
    });
    afterEach(() => two.end());
    afterAll(() => two.close());

    test('one that is killed is started again, while the other answers and no count falls', async () => {
      await two.start();
      await two.askTimes(10);
      expect(await two.issued()).toBe(10);
      two.signal(2, 'SIGKILL');
      await until(async () => {
        const { body } = await supertest(two.service.opsUrl).get('/readyz').expect(200);
        return body.checks.workers.state === 'degraded';
      });
      expect(await two.askTimes(10)).toEqual(Array(10).fill(200));
      expect(await two.issued()).toBe(20);
      await two.service.printed(/"worker":2,"msg":"the worker serves again"/);
      expect(await two.askTimes(10)).toEqual(Array(10).fill(200));
      expect(await two.issued()).toBe(30);
      expect((await supertest(two.service.opsUrl).get('/readyz')).body.checks.workers).toEqual({
        state: 'up',
      });
    });

    test('the one with the ops listener is started again with it, and with the counts of before', async () => {
      const OPS_PORT = String(await freePort());
      await two.database.database.query('DELETE FROM replicas'); // of services that other tests killed
      await two.start({ OPS_PORT });
      const rows = (): Promise<readonly { started_at: number }[]> =>
        two.database.database.query('SELECT started_at FROM replicas');
      await until(async () => (await rows()).length === 1);
      const [before] = await rows();
      await two.askTimes(10);
      expect(await two.issued()).toBe(10);
      two.signal(1, 'SIGKILL');
      await two.service.printed(/"worker":1,"msg":"the worker serves again"/);
      expect(await two.issued()).toBe(10);
      expect(await two.askTimes(4)).toEqual(Array(4).fill(200));
      expect(await two.issued()).toBe(14);
      await until(async () => (await rows()).some(({ started_at }) => started_at > before!.started_at));
      expect(await rows()).toHaveLength(1); // no other that looks gone
    });

    test('one that hangs is killed and started again, while the other answers', async () => {
      await two.start();
      two.signal(2, 'SIGSTOP');
      const asked = Promise.allSettled(Array.from({ length: 10 }, () => two.ask()));
      expect(await two.askTimes(10)).toEqual(Array(10).fill(200));
      await two.service.printed(/"worker":2,"msg":"the worker does not answer and is killed"/);
      await two.service.printed(/"worker":2,"msg":"the worker serves again"/);
      const answers = (await asked).flatMap((result) =>
        result.status === 'fulfilled' ? result.value.status : [],
      );
      expect(answers.length).toBeGreaterThanOrEqual(9); // the connection that it was handed ends with it
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(await two.askTimes(10)).toEqual(Array(10).fill(200));
    });
  });
}

test('a database that does not answer ends the start with code 69, said once', async () => {
  const playground = await startPlayground({ port: 0, size: 5 });
  const { code, text } = await runProcess({ ...serviceEnvironment(playground), ...NOWHERE, WORKERS: '3' });
  await playground.close();
  expect(code).toBe(69);
  expect(text.match(/DATABASE_URL names a server that does not answer/g)).toHaveLength(1);
});
