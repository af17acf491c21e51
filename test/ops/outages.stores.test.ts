import supertest from 'supertest';
import { json, startJsonServer, webhookSettings } from '../support/json-server.js';
import { runsOnServers } from '../support/machine.js';
import { startStoreOutage } from '../support/test-database.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { only } from './active-conditions.js';
import { OUTAGES, suffer, times } from './outages.js';

const SECRET = 'a-webhook-secret-of-this-suite';

/** Each alone and with the next; the drill of outages has every pair. */
const names = Object.keys(OUTAGES).filter((name) => name !== 'Redis' || runsOnServers());

test.each(names.map((name, index) => ({ name, next: names[index + 1] })))(
  'while $name fails, alone and with $next, nobody else is blamed, and with the first success it is over',
  ({ name, next }) => suffer(name, ...(next === undefined ? [] : [next])),
);

test('webhooks that a database did not store are a condition of their own, until one is stored', async () => {
  const sink = await startJsonServer(json({}));
  const { stack, begin, end } = await startStoreOutage(webhookSettings(SECRET, sink));
  await begin();
  await times(3, () => sendWebhook(stack.url, SECRET, [anEvent()]));
  await only(stack, 'database-failing', 'webhooks-not-stored');
  expect((await supertest(stack.opsUrl).get('/readyz')).status).toBe(503);
  await end();
  await sendWebhook(stack.url, SECRET, []);
  await only(stack, 'webhooks-not-stored'); // nothing was stored yet
  expect((await sendWebhook(stack.url, SECRET, [anEvent()])).status).toBe(204);
  await only(stack);
});
