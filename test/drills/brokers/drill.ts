import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startServer } from '../../support/server-process.js';
import { startPlayground } from '../../../playground/src/playground.js';
import { faultOfShippedDelivery } from '../../support/json-server.js';
import { serviceEnvironment } from '../../support/start-stack.js';
import type { BrokerMessage, TestBroker } from '../../support/test-brokers.js';
import { anEvent, sendWebhook } from '../../webhooks/send-webhook.js';
import type { BrokerProcess } from './broker-process.js';

const SECRET = 'secret-of-the-upstream';
const SENDERS = 4;
const EVENTS_PER_REQUEST = 3;
const PACE_MS = 20;
const LIFE_MS_MAX = 1_500;
const LOOK_MS = 200;

/** Where and how often to kill. */
export interface DrillOptions {
  /** The compiled `main.js`. */
  readonly program: string;
  /** It has been started. */
  readonly broker: BrokerProcess;
  readonly rounds: number;
}

/** The result of a drill. */
export interface DrillReport {
  readonly kills: number;
  /** Events whose webhook was answered 204. */
  readonly acknowledged: number;
  /** Of these, how many the broker does not have. */
  readonly lost: number;
  /** Messages beyond the first under their id. */
  readonly repeated: number;
  /** Of these, how many differ from the first. */
  readonly different: number;
  /** Messages that differ from the schema of deliveries. */
  readonly invalid: number;
  /** From the last start of the broker until it has every event. */
  readonly recoverySeconds: number;
}

/** Kills a broker (SIGKILL) at random moments while the service delivers to it, and looks for events that it does not have. */
export async function runBrokerDrill({ program, broker, rounds }: DrillOptions): Promise<DrillReport> {
  const playground = await startPlayground({ port: 0 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const store = await broker.open();
  await store.close();
  const settings = {
    ...serviceEnvironment(playground, {}),
    DATA_DIR: mkdtempSync(join(tmpdir(), 'broker-drill-')),
    PORT: String(port),
    OPS_PORT: String(await freePort()),
    WEBHOOK_SECRETS: SECRET,
    EVENTS_SCHEME_ID: '',
    EVENT_SINK_URL: store.url.href,
    EVENT_SINK_RETRY_SECONDS: Array(50).fill(1).join(),
    EVENT_SINK_TIMEOUT_MS: '3000',
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY_MS: '0',
  };
  const { child: service } = await startServer(program, settings, url);
  const acknowledged: string[] = [];
  const stopping = new AbortController();
  const load = Promise.all(Array.from({ length: SENDERS }, () => send(url, acknowledged, stopping.signal)));
  for (let round = 0; round < rounds; round += 1) {
    await delay(Math.random() * LIFE_MS_MAX);
    await broker.kill();
    await broker.start();
  }
  const startedAt = performance.now();
  stopping.abort();
  await load;
  const after = await broker.open();
  const messages = await allOf(after, acknowledged);
  await after.close();
  const recoverySeconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
  service.kill('SIGTERM');
  await once(service, 'exit');
  await playground.close();
  return { kills: rounds, ...judge(acknowledged, messages), recoverySeconds };
}

/** Waits, without a limit, until the broker has every event. */
async function allOf(store: TestBroker, ids: readonly string[]): Promise<readonly BrokerMessage[]> {
  for (;;) {
    const messages = await store.received();
    const stored = new Set(messages.map(idOf));
    if (ids.every((id) => stored.has(id))) return messages;
    await delay(LOOK_MS);
  }
}

function judge(ids: readonly string[], messages: readonly BrokerMessage[]) {
  const bodies = new Map<string, string>();
  let [repeated, different] = [0, 0];
  for (const message of messages) {
    const id = idOf(message);
    const hash = createHash('sha256').update(message.body).digest('hex');
    if (bodies.has(id)) repeated += 1;
    if ((bodies.get(id) ?? hash) !== hash) different += 1;
    bodies.set(id, hash);
  }
  return {
    acknowledged: ids.length,
    lost: ids.filter((id) => !bodies.has(id)).length,
    repeated,
    different,
    invalid: messages.filter(({ body }) => faultOfShippedDelivery(body) !== undefined).length,
  };
}

function idOf({ headers }: BrokerMessage): string {
  return headers['webhook-id']!;
}

async function send(url: string, acknowledged: string[], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const events = Array.from({ length: EVENTS_PER_REQUEST }, () => anEvent());
    const { status } = await sendWebhook(url, SECRET, events);
    if (status === 204) acknowledged.push(...events.map(({ id }) => String(id)));
    await delay(PACE_MS);
  }
}
