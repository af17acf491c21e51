import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startServer } from '../../support/server-process.js';
import { startPlayground } from '../../../playground/src/playground.js';
import { serviceEnvironment } from '../../support/start-stack.js';
import { faultOfShippedDelivery } from '../../support/json-server.js';
import { anEvent, sendWebhook } from '../../webhooks/send-webhook.js';

const SECRET = 'secret-of-the-upstream';
/** The first keeps its states with the events, the other has a queue of its own. */
const SINKS = ['default', 'crm'];
const SINK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const SENDERS = 8;
const EVENTS_PER_REQUEST = 3;
const LIFE_MS_MAX = 400;
const LOOK_MS = 20;
/** What is not delivered by then after the last start counts as undelivered. */
const DELIVERY_MS_MAX = 60_000;

/** Where and how often to kill. */
export interface DrillOptions {
  /** The compiled `main.js`. */
  readonly program: string;
  readonly rounds: number;
  /** How long the service lives at most before it is killed. */
  readonly lifeMsMax?: number;
  /** `DATA_DIR` or `DATABASE_URL`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Ends the service, and whatever else is to end with it; by default SIGKILL to the service. */
  readonly kill?: (service: ChildProcess) => Promise<void>;
  /** Reads the store after the service has stopped. */
  readonly storedIds: () => Promise<readonly string[]>;
  /** Called after each kill. */
  readonly onKilled?: (kills: number, acknowledged: number) => void;
}

/** The result of a drill. */
export interface DrillReport {
  readonly rounds: number;
  /** Events whose webhook was answered 204. */
  readonly acknowledged: number;
  /** Of these, how many are not in the store. */
  readonly lost: number;
  /** Of these, how many never reached every sink. */
  readonly undelivered: number;
  /** Deliveries that differ from the schema of deliveries. */
  readonly invalid: number;
  /** Deliveries beyond the first. */
  readonly deliveredAgain: number;
}

/**
 * Kills the service (SIGKILL) at random moments under load, each time after it has acknowledged an event, starts it again on the same store, and looks for events
 * that were acknowledged and then lost.
 */
export async function runKillDrill({
  program,
  rounds,
  lifeMsMax = LIFE_MS_MAX,
  settings,
  kill = killProcess,
  storedIds,
  onKilled = () => undefined,
}: DrillOptions): Promise<DrillReport> {
  const playground = await startPlayground({ port: 0 });
  const deliveries = new Map(SINKS.map((name): [string, string[]] => [name, []]));
  const invalid: string[] = [];
  const sink = await startSink(deliveries, invalid);
  const [port, opsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const environment = serviceEnvironment(playground, {
    ...settings,
    PORT: String(port),
    OPS_PORT: String(opsPort),
    WEBHOOK_SECRETS: SECRET,
    EVENTS_SCHEME_ID: '',
    EVENT_SINKS_FILE: writeSinks((sink.address() as AddressInfo).port),
    EVENT_SINK_TIMEOUT_MS: '500',
    UPSTREAM_TIMEOUT_MS: '5000', // with the issuer's, how long an event is kept by a service that was killed
    ISSUER_TIMEOUT_MS: '5000',
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY_MS: '0',
  });
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { child: service } = await startServer(program, environment, url);
    const before = acknowledged.length;
    let isRefused = false;
    const load = Promise.all(Array.from({ length: SENDERS }, () => sendUntilRefused(url, acknowledged)));
    void load.then(() => (isRefused = true));
    await wait(() => {
      if (isRefused) throw new Error('the service acknowledges no webhook');
      return acknowledged.length > before;
    });
    await delay(Math.random() * lifeMsMax);
    await kill(service);
    await load;
    onKilled(round + 1, acknowledged.length);
  }
  const { child: service } = await startServer(program, environment, url);
  const giveUpAt = performance.now() + DELIVERY_MS_MAX;
  await wait(() => {
    if (performance.now() > giveUpAt) return true;
    const delivered = [...deliveries.values()].map((ids) => new Set(ids));
    return acknowledged.every((id) => delivered.every((ids) => ids.has(id)));
  });
  service.kill('SIGTERM');
  await once(service, 'exit');
  sink.close();
  await playground.close();
  const stored = new Set(await storedIds());
  const delivered = [...deliveries.values()].map((ids) => ({ times: ids.length, ids: new Set(ids) }));
  return {
    rounds,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !stored.has(id)).length,
    undelivered: acknowledged.filter((id) => !delivered.every(({ ids }) => ids.has(id))).length,
    invalid: invalid.length,
    deliveredAgain: delivered.reduce((sum, { times, ids }) => sum + times - ids.size, 0),
  };
}

/** SIGKILL; resolves when the process has ended. */
export async function killProcess(service: ChildProcess): Promise<void> {
  const ended = once(service, 'exit');
  service.kill('SIGKILL');
  await ended;
}

/** Waits without a limit, which the caller of the drill sets. */
async function wait(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(LOOK_MS);
}

function writeSinks(port: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'drill-')), 'sinks.json');
  const sinks = SINKS.map((name) => ({ name, url: `http://127.0.0.1:${port}/${name}`, secret: SINK_SECRET }));
  writeFileSync(file, JSON.stringify({ sinks }));
  return file;
}

/** @param invalid what is wrong with deliveries is added */
async function startSink(deliveries: ReadonlyMap<string, string[]>, invalid: string[]): Promise<Server> {
  const sink = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const fault = faultOfShippedDelivery(Buffer.concat(chunks).toString());
      if (fault !== undefined) invalid.push(fault);
      deliveries.get(request.url!.slice(1))!.push(String(request.headers['webhook-id']));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  return sink;
}

async function sendUntilRefused(url: string, acknowledged: string[]): Promise<void> {
  for (;;) {
    const events = Array.from({ length: EVENTS_PER_REQUEST }, () => anEvent());
    const status = await sendWebhook(url, SECRET, events).then(
      (response) => response.status,
      () => undefined,
    );
    if (status !== 204) return;
    acknowledged.push(...events.map(({ id }) => String(id)));
  }
}
