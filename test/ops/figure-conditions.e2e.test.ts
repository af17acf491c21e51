import { createHmac } from 'node:crypto';
import supertest from 'supertest';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { Environment } from '../../src/config/load-config.js';
import { StoreError } from '../../src/errors/store-error.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import type { ConditionName } from '../../src/telemetry/conditions/condition-table.js';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { Database } from '../../src/storage/database.js';
import { newFolder } from '../support/machine.js';
import { json, startJsonServer, type JsonServer, webhookSettings } from '../support/json-server.js';
import { startStack, untilReady, type Stack } from '../support/start-stack.js';
import { ageEvents, ageReconciliation, breakAudit } from '../support/stored.js';
import { until } from '../support/until.js';
import { anEvent, postWebhook, sendWebhook } from '../webhooks/send-webhook.js';
import { NO_SINKS, reconciled } from '../webhooks/event-store-setup.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { EventReconciliation } from '../../src/webhooks/reconcile/event-reconciliation.js';
import { active, only as onlyIn, askForToken, askGraphql } from './active-conditions.js';
import { times } from './outages.js';

const SECRET = 'a-webhook-secret-of-this-suite';
const HOUR_MS = 3_600_000;

let stack: Stack;
let sink: JsonServer;
beforeEach(async () => {
  sink = await startJsonServer(json({}));
});

async function start(settings: Environment = {}): Promise<void> {
  const retries = { EVENT_SINK_RETRY_SECONDS: '3600' };
  stack = await startStack({ ...webhookSettings(SECRET, sink), ...retries, ...settings });
  await untilReady(stack);
}

const only = (...names: readonly ConditionName[]): Promise<void> => onlyIn(stack, ...names);
const database = (): Database => stack.service.app.get(Database);
const summaries = async (): Promise<string[]> => (await active(stack)).map(({ summary }) => summary);

/** Waits until the event that was sent could not be delivered. */
async function untilFailed(why: RegExp): Promise<void> {
  await until(async () => {
    const { body } = await supertest(stack.opsUrl).get('/events?payload=false');
    return why.test(body.items[0]?.lastFailure ?? '');
  });
}

test('a database that answers and takes no writes fails', async () => {
  await start();
  const store = database();
  const ping = store.ping.bind(store);
  store.ping = () => Promise.reject(new StoreError('database', 'the server takes no writes'));
  await only('database-failing');
  expect(await summaries()).toEqual([
    expect.stringContaining('cannot be read (the server takes no writes).'),
  ]);
  store.ping = ping;
  await only();
});

describe('webhooks that no secret signed', () => {
  const wrong = createHmac('sha512', 'another secret').update('{}').digest('hex');
  const send = (signature: string, count: number): Promise<void> =>
    times(count, () => postWebhook(stack.url, '{}', { 'seek-signature': signature }));
  const accept = (count: number): Promise<void> =>
    times(count, () => sendWebhook(stack.url, SECRET, [anEvent()]));

  test('are a condition while they are most of all', async () => {
    await start();
    await accept(4);
    await send(wrong, 4);
    await only();
    await send(wrong, 1);
    await only('webhooks-refused');
    expect(await summaries()).toEqual([expect.stringMatching(/\(5 of 9 in ten minutes\)\.$/)]);
    await accept(6);
    await only();
  });

  test('are a stranger’s, and none, where no webhook was accepted or what they have is no signature', async () => {
    await start();
    await send(wrong, 30);
    await only();
    await accept(31);
    await send('junk', 30);
    await only();
  });

  test('are a condition after a restart, by what was accepted before it', async () => {
    const DATA_DIR = newFolder();
    await start({ DATA_DIR });
    await accept(1);
    const found = Array.from({ length: 150 }, () => reconciled(anEvent()));
    await database().transaction((tx) => insertEvents(tx, found, NO_SINKS));
    await stack.close();
    await start({ DATA_DIR });
    await send(wrong, 5);
    await only('webhooks-refused');
  });
});

describe('an event that waits for more than ten minutes', () => {
  test('waits for a sink that does not accept it', async () => {
    await start();
    sink.answer = json({}, 500);
    await sendWebhook(stack.url, SECRET, [anEvent()]);
    await untilFailed(/status 500/);
    await ageEvents(database(), HOUR_MS);
    await only('events-late');
    expect(await active(stack)).toMatchObject([{ culprit: 'sink', severity: 'page' }]);
    const others = (['deliveries-failing', 'upstream-failing'] as const).map((name) =>
      stack.service.app.get(Conditions).calls(name, 'one'),
    );
    await times(3, async () => others.forEach((calls) => calls.failed('500')));
    const late = (await active(stack)).find(({ name }) => name === 'events-late');
    expect(late).toMatchObject({ culprit: 'sink' });
    for (const calls of others) calls.succeeded();
    sink.answer = json({});
    await supertest(stack.opsUrl).post('/events/redeliver').send({ state: 'failed' });
    await only();
  });

  test('waits for the upstream, which does not give its object', async () => {
    await start({ EVENT_OBJECT_PATIENCE_SECONDS: '604800' });
    stack.playground.faults.add({ route: 'graphql', times: 0, status: 503 });
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const event = () => anEvent({ hirerId, candidateApplicationProfileId: 'a' });
    await sendWebhook(stack.url, SECRET, [event(), event(), event()]);
    await untilFailed(/^object: /);
    await ageEvents(database(), HOUR_MS);
    const late = async () => (await active(stack)).find(({ name }) => name === 'events-late');
    await until(async () => (await late())?.culprit === 'upstream');
  });
});

test('a reconciliation that was not completed for an hour, until one is', async () => {
  await start({ EVENTS_SCHEME_ID: 'seekAnzPublicTest' });
  const reconciliation = stack.service.app.get(EventReconciliation);
  await until(async () => (await reconciliation.run(true)) === 'completed');
  await only();
  await ageReconciliation(database(), HOUR_MS);
  await only('reconciliation-late');
  expect(await active(stack)).toMatchObject([{ culprit: 'upstream', severity: 'ticket' }]);
  expect(await summaries()).toEqual([expect.stringMatching(/\(not completed for 6[01] minutes\)\.$/)]);
  expect(await reconciliation.run(true)).toBe('completed');
  await only();
});

test('an upstream whose answers are mostly errors of its own', async () => {
  await start();
  stack.playground.faults.add({
    route: 'graphql',
    times: 0,
    field: 'Query.self',
    code: 'INTERNAL_SERVER_ERROR',
  });
  await askGraphql(stack, 'amelia', 10);
  await only('upstream-failing');
  expect(await summaries()).toEqual(['The upstream is failing (10 of 10 answers are errors of its own).']);
  stack.playground.faults.clear();
  await askGraphql(stack, 'amelia', 10);
  await only();
});

test('requests that fail by a fault of this service', async () => {
  await start();
  const get = () => Promise.reject(new TypeError('a fault of ours'));
  Object.assign(stack.service.app.get(BrowserTokens, { strict: false }), { get });
  expect(await askForToken(stack)).toBe(500);
  await only('internal-errors');
  expect(await summaries()).toEqual([expect.stringContaining('(1 request)')]);
});

test('audit records that the database refuses', async () => {
  await start();
  const repair = await breakAudit(database());
  await askForToken(stack);
  await stack.service.app.get(AuditTrail).flush();
  await only('audit-dropped');
  await repair();
});
