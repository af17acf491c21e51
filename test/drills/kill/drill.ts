import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { folderOf, freePort } from '../../support/machine.js';
import { startPlayground } from '../../../playground/src/playground.js';
import { serviceEnvironment } from '../../support/start-stack.js';
import { faultOfDelivery, json, SINK_SECRET, startJsonServer } from '../../support/json-server.js';
import type { Database } from '../../../src/storage/database.js';
import { storedIds } from '../../support/stored.js';
import { Replica } from '../replica.js';
import { anEvent, sendWebhook, type SentEvent } from '../../webhooks/send-webhook.js';

const SECRET = 'secret-of-the-upstream';
/** The first gets events with their objects. */
const SINKS = ['default', 'crm'];
const SENDERS = 8;
const EVENTS_PER_REQUEST = 3;
const LIFE_MS_MAX = 400;
const LOOK_MS = 50;
/** What is left when for so long after the last start nothing more was delivered counts as undelivered. */
const QUIET_MS_MAX = 60_000;

/** A delivery as its sink received it. */
export interface Delivered {
  readonly sink: string;
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

/** The sinks of a drill, each of which wants every event. */
export interface DrillSinks {
  readonly names: readonly string[];
  /** Of these, one that gets events without their objects. */
  readonly plain?: string;
  readonly settings: Readonly<Record<string, string>>;
  received(): Promise<readonly Delivered[]>;
}

/** Where and how often to kill. */
export interface DrillOptions {
  readonly rounds: number;
  /** Two sinks by HTTP by default. */
  readonly sinks?: DrillSinks;
  /** How long the service lives at most before it is killed. */
  readonly lifeMsMax?: number;
  /** `DATA_DIR` or `DATABASE_URL`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Ends the service, and whatever else is to end with it; by default SIGKILL to the service. */
  readonly kill?: (service: Replica) => Promise<void>;
  /** Reads the store after the service has stopped. */
  readonly storedIds: () => Promise<readonly string[]>;
}

/** Of a report in which nothing is wrong. */
export const NOTHING_LOST = { lost: 0, undelivered: 0, invalid: 0, withoutObject: 0, different: 0 };

/** The result of a drill. */
export type DrillReport = Awaited<ReturnType<typeof runKillDrill>>;

/**
 * Kills the service (SIGKILL) at random moments under load, each time after it has acknowledged an event, starts it
 * again on the same store, and looks for events that were acknowledged and then lost.
 */
export async function runKillDrill({
  rounds,
  sinks,
  lifeMsMax = LIFE_MS_MAX,
  settings,
  kill = (service) => service.end('SIGKILL'),
  storedIds: idsOf,
}: DrillOptions) {
  const playground = await startPlayground({ port: 0 });
  const { names, plain, received, settings: sinkSettings } = sinks ?? (await openHttpSinks());
  const applications = [...playground.world.candidateProfiles.values()]
    .filter(({ positionProfileId }) => positionProfileId !== null)
    .map(({ id, hirerId }) => ({ hirerId, candidateApplicationProfileId: id }));
  const environment = serviceEnvironment(playground, {
    ...settings,
    ...sinkSettings,
    WEBHOOK_SECRETS: SECRET,
    UPSTREAM_TIMEOUT_MS: '5000', // with the issuer's, how long an event is kept by a service that was killed
    ISSUER_TIMEOUT_MS: '5000',
    LOG_LEVEL: 'error',
  });
  const service = new Replica(environment, await freePort(), await freePort());
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await service.start();
    const before = acknowledged.length;
    let isRefused = false;
    const load = Promise.all(
      Array.from({ length: SENDERS }, () => sendUntilRefused(service.url, acknowledged, applications)),
    );
    void load.then(() => (isRefused = true));
    await wait(() => {
      if (isRefused) throw new Error('the service acknowledges no webhook');
      return acknowledged.length > before;
    });
    await delay(Math.random() * lifeMsMax);
    await kill(service);
    await load;
  }
  await service.start();
  const undelivered = async (): Promise<readonly string[]> => {
    const having = new Set((await received()).map(({ sink: name, id }) => `${name} ${id}`));
    return acknowledged.filter((id) => !names.every((name) => having.has(`${name} ${id}`)));
  };
  let [left, giveUpAt] = [Infinity, 0];
  await wait(async () => {
    const { length } = await undelivered();
    if (length < left) [left, giveUpAt] = [length, performance.now() + QUIET_MS_MAX];
    return left === 0 || performance.now() > giveUpAt;
  });
  await service.end();
  await playground.close();
  const stored = new Set(await idsOf());
  return {
    /** Events whose webhook was answered 204, and are not in the store. */
    lost: acknowledged.filter((id) => !stored.has(id)).length,
    /** Those that never reached every sink. */
    undelivered: (await undelivered()).length,
    ...judge(await received(), plain),
  };
}

function judge(deliveries: readonly Delivered[], plain: string | undefined) {
  const bodies = new Map<string, string>();
  let [different, withoutObject] = [0, 0];
  for (const { sink, id, body: text } of deliveries) {
    const { data, ...rest } = JSON.parse(text) as { data: { object?: unknown } };
    const { object, ...members } = data;
    const body = JSON.stringify({ ...rest, members });
    if (sink !== plain && !object) withoutObject += 1;
    const first = bodies.get(`${sink} ${id}`);
    if (first !== undefined && first !== body) different += 1;
    bodies.set(`${sink} ${id}`, first ?? body);
  }
  const invalid = deliveries.filter(({ body }) => faultOfDelivery(body) !== undefined).length;
  return {
    /** Deliveries that differ from the schema of deliveries. */
    invalid,
    /** Those without the object of their event, to sinks that want it. */
    withoutObject,
    /** Repeated ones that differ from the first of their event, in more than its object: links in it are new each time. */
    different,
  };
}

/** The ids in a store that is opened for them alone. */
export async function idsIn(database: Database): Promise<readonly string[]> {
  return storedIds(database).finally(() => database.close());
}

/** Waits without a limit, which the caller of the drill sets. */
async function wait(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(LOOK_MS);
}

async function openHttpSinks(): Promise<DrillSinks> {
  const server = await startJsonServer(json({}, 200));
  const sinks = SINKS.map((name) => ({
    name,
    url: new URL(name, server.url).href,
    secret: SINK_SECRET,
    objects: name === SINKS[0],
  }));
  const folder = folderOf({ 'sinks.json': JSON.stringify({ sinks }) });
  return {
    names: SINKS,
    plain: SINKS[1]!,
    settings: { EVENT_SINKS_FILE: join(folder, 'sinks.json'), EVENT_SINK_TIMEOUT_MS: '500' },
    received: async () =>
      server.received.map(({ url, headers, body }) => ({
        sink: url.slice(1),
        id: String(headers['webhook-id']),
        body,
      })),
  };
}

async function sendUntilRefused(
  url: string,
  acknowledged: string[],
  applications: readonly SentEvent[],
): Promise<void> {
  for (let sent = 0; ; sent += 1) {
    const events = Array.from({ length: EVENTS_PER_REQUEST }, (_, index) =>
      anEvent(applications[(sent * EVENTS_PER_REQUEST + index) % applications.length]),
    );
    const status = await sendWebhook(url, SECRET, events).then(
      (response) => response.status,
      () => undefined,
    );
    if (status !== 204) return;
    acknowledged.push(...events.map(({ id }) => String(id)));
  }
}
