import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { Database } from '../../src/storage/database.js';
import { askToken, startAgain, startStack, type Stack } from '../support/start-stack.js';
import { testRedis } from '../support/machine.js';
import { ageEvents } from '../support/stored.js';
import { POSTGRESQL, testDatabases, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { anEvent, BANKSIA, HIRER_PAIRS, NUSANTARA, sendWebhook, type SentEvent } from './send-webhook.js';
import { ONE_SINK, reconciled } from './event-store-setup.js';

const SECRET = 'secret-of-the-upstream';
const SETTINGS = { WEBHOOK_SECRETS: SECRET };

const changed = (hirerId: string, members: SentEvent = {}): SentEvent =>
  anEvent({ type: 'HirerRelationshipChanged', hirerId, ...members });

async function askTokenOf(stack: Stack, user: string, hirerId: string): Promise<string> {
  return (await askToken(stack, user, { hirerId, scope: 'query:ontologies' })).body.access_token;
}

/** The upstream itself answers an event. */
function reconcile(database: Database, event: SentEvent): Promise<unknown> {
  return database.transaction((tx) => insertEvents(tx, [reconciled(event)], ONE_SINK));
}

describe.each(testDatabases())('a changed relationship, on $name', ({ open }) => {
  let test_: TestDatabase;
  let stack: Stack;
  let amelia: string;

  beforeAll(async () => {
    test_ = await open();
    stack = await startStack({ ...SETTINGS, ...test_.settings });
    amelia = await stack.playground.signIn('amelia');
  });

  const tokenOf = (hirerId: string): Promise<string> => askTokenOf(stack, amelia, hirerId);
  /** Has every change so far acted: that of another hirer is the last, and known by its effect. */
  async function settle(): Promise<void> {
    const before = await tokenOf(NUSANTARA);
    await sendWebhook(stack.url, SECRET, [changed(NUSANTARA)]);
    await until(async () => (await tokenOf(NUSANTARA)) !== before);
  }

  test.each(HIRER_PAIRS)('drops the tokens of %s alone', async (one, other) => {
    const tokens = [await tokenOf(one), await tokenOf(other)];
    await sendWebhook(stack.url, SECRET, [changed(one)]);
    await until(async () => (await tokenOf(one)) !== tokens[0]);
    expect(await tokenOf(other)).toBe(tokens[1]);
  });

  test('acts once: not for further copies, fuller or not, however late', async () => {
    const event = changed(BANKSIA);
    const first = await tokenOf(BANKSIA);
    await sendWebhook(stack.url, SECRET, [event]);
    await until(async () => (await tokenOf(BANKSIA)) !== first);
    const second = await tokenOf(BANKSIA);
    await ageEvents(stack.service.app.get(Database), 86_400_000);
    for (const copy of [event, event, { ...event, more: 'x' }, event]) {
      await sendWebhook(stack.url, SECRET, [copy]);
      await reconcile(stack.service.app.get(Database), copy);
    }
    await settle();
    expect(await tokenOf(BANKSIA)).toBe(second);
  });

  test('acts for its hirer when a fuller copy names it, and for another one that a signed copy names', async () => {
    const event = changed(BANKSIA);
    const first = await tokenOf(BANKSIA);
    await sendWebhook(stack.url, SECRET, [{ ...event, hirerId: undefined }]);
    await settle();
    expect(await tokenOf(BANKSIA)).toBe(first);
    await sendWebhook(stack.url, SECRET, [event]);
    await until(async () => (await tokenOf(BANKSIA)) !== first);
    const second = await tokenOf(BANKSIA);
    const mistaken = changed(NUSANTARA);
    await reconcile(stack.service.app.get(Database), mistaken);
    await settle();
    await sendWebhook(stack.url, SECRET, [{ ...mistaken, hirerId: BANKSIA }]);
    await until(async () => (await tokenOf(BANKSIA)) !== second);
  });
});

const redis = testRedis();
if (redis) {
  test('on PostgreSQL and Redis, a replica that starts after the change takes no token of before it from Redis', async () => {
    const { database, settings } = await POSTGRESQL.open();
    const stack = await startStack({ ...settings, REDIS_URL: redis.href });
    const amelia = await stack.playground.signIn('amelia');
    const before = await askTokenOf(stack, amelia, BANKSIA);
    await stack.service.close();
    await reconcile(database, changed(BANKSIA));
    await startAgain(stack);
    expect(await askTokenOf(stack, amelia, BANKSIA)).not.toBe(before);
  });
}
