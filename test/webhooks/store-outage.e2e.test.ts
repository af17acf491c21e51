import supertest from 'supertest';
import { startStack, type Stack } from '../support/start-stack.js';
import { STORE_OUTAGES } from '../support/store-outage.js';
import { storedIds } from '../support/stored.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { anEvent, postWebhook, sendWebhook, signWebhook, webhookBody } from './send-webhook.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';

const SECRET = 'secret-of-the-upstream';
const SETTINGS = { WEBHOOK_SECRETS: SECRET };

describe.each(STORE_OUTAGES)('while $name', ({ start }) => {
  test('webhooks are 503 and forged ones still 401, because they never reach it', async () => {
    const outage = await start(SETTINGS);
    const { stack } = outage;
    await outage.begin();
    const refused = await sendWebhook(stack.url, SECRET, [anEvent()]);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    const body = webhookBody([anEvent()]);
    const forged = await postWebhook(stack.url, body, { 'seek-signature': signWebhook(body, 'guessed') });
    expect(forged.status).toBe(401);
    expect((await supertest(stack.opsUrl).get('/metrics')).status).toBe(200);
    await outage.end();
    expect((await sendWebhook(stack.url, SECRET, [anEvent()])).status).toBe(204);
    await outage.close();
  });
});

for (const { name, open } of TEST_DATABASES.filter((one) => one.name === 'PostgreSQL')) {
  describe(name, () => {
    let test_: TestDatabase;
    let gate: TcpGate;
    let stack: Stack;

    beforeAll(async () => {
      test_ = await open();
      const url = new URL(test_.settings['DATABASE_URL']!);
      gate = await openTcpGate(Number(url.port || 5432), url.hostname);
      url.host = `127.0.0.1:${gate.port}`;
      stack = await startStack({ ...SETTINGS, DATABASE_URL: url.href });
    });
    afterAll(async () => {
      await stack.close();
      await gate.close();
      await test_.drop();
    });

    test('unreachable and back under load: 503 meanwhile, and no acknowledged event is lost', async () => {
      const acknowledged: string[] = [];
      const statuses: number[] = [];
      let running = true;
      const sender = async (): Promise<void> => {
        while (running) {
          const event = anEvent();
          const { status, headers } = await sendWebhook(stack.url, SECRET, [event]);
          statuses.push(status);
          if (status === 204) acknowledged.push(String(event['id']));
          else expect([status, headers['retry-after']]).toEqual([503, '5']);
        }
      };
      const senders = Array.from({ length: 8 }, sender);
      for (let round = 0; round < 3; round += 1) {
        const before = acknowledged.length;
        await until(() => acknowledged.length > before + 50);
        gate.shut();
        const refused = statuses.filter((status) => status === 503).length;
        await until(() => statuses.filter((status) => status === 503).length > refused + 20);
        gate.open();
      }
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 50);
      running = false;
      await Promise.all(senders);
      const stored = new Set(await storedIds(test_.database));
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    });
  });
}
