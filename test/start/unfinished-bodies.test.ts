import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import { jsonHead, openRaw, type RawConnection } from '../support/raw-connection.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { openPlayground, serviceEnvironment } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, postWebhook, signWebhook, webhookBody } from '../webhooks/send-webhook.js';

const CONNECTIONS = 250;
const BODY_BYTES = 1_000_000;
const MEGABYTE = 1_048_576;
/** 64 MiB that may be held, what sockets and garbage take besides, and below the 250 MB that were sent. */
const GROWTH_BYTES_MAX = 200 * MEGABYTE;
const SECRET = 'webhook-secret-of-this-test';

let playground: Playground;
let service: ServiceProcess;
/** Collects garbage often, so that the memory of the process is what it holds, not what V8 has yet to collect. */
const COLLECTING = 'data:text/javascript,setInterval(gc,400).unref()';

beforeAll(async () => {
  playground = await openPlayground();
  service = await startProcess({
    ...serviceEnvironment(playground),
    WEBHOOK_SECRETS: SECRET,
    NODE_OPTIONS: `--expose-gc --import=${COLLECTING}`,
  });
});
afterAll(async () => {
  service.child.kill('SIGKILL');
});

async function residentBytes(): Promise<number> {
  const { text } = await supertest(service.opsUrl).get('/metrics');
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]);
}

/** How much more memory the service ever held than before, until `done`; it must answer all the while. */
async function peakGrowth(before: number, done: () => boolean): Promise<number> {
  let peak = 0;
  await until(async () => {
    const isDone = done();
    expect((await supertest(service.opsUrl).get('/livez')).status).toBe(200);
    peak = Math.max(peak, (await residentBytes()) - before);
    return isDone;
  });
  return peak;
}

/** Opens connections and sends each the same. */
async function openMany(count: number, text: Buffer): Promise<RawConnection[]> {
  const callers = await Promise.all(Array.from({ length: count }, () => openRaw(service.url)));
  for (const { socket } of callers) socket.write(text);
  return callers;
}

/** All of a body but its last byte. */
function unfinished(path: string): Buffer {
  return Buffer.concat([Buffer.from(jsonHead('POST', path, BODY_BYTES)), Buffer.alloc(BODY_BYTES - 1, ' ')]);
}

function destroyAll(callers: readonly RawConnection[]): void {
  for (const { socket } of callers) socket.destroy();
}

const isAnswered = ({ received }: RawConnection): boolean => received() !== '';

test('of 250 webhook bodies of 1 MB that do not end 64 MiB are held, and the others refused', async () => {
  const heldMax = Math.floor((64 * MEGABYTE) / BODY_BYTES);
  const before = await residentBytes();
  const callers = await openMany(CONNECTIONS, unfinished('/webhooks'));
  const grown = await peakGrowth(before, () => callers.filter(isAnswered).length >= CONNECTIONS - heldMax);
  expect(grown).toBeLessThan(GROWTH_BYTES_MAX);
  for (const { received } of callers.filter(isAnswered)) {
    expect(received()).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 5\r\n[^]*"code":"unavailable"/);
  }
  destroyAll(callers);
});

test('unfinished bodies do not keep out a signed webhook', async () => {
  const heldMax = Math.floor((64 * MEGABYTE) / BODY_BYTES);
  const callers = await openMany(heldMax + 10, unfinished('/webhooks'));
  await until(() => callers.filter(isAnswered).length >= 10);
  const body = webhookBody([anEvent({ note: 'x'.repeat(900_000) })]);
  let status = 0;
  await until(async () => {
    ({ status } = await postWebhook(service.url, body, { 'seek-signature': signWebhook(body, SECRET) }));
    return status !== 503;
  });
  expect(status).toBe(204);
  destroyAll(callers);
});

test('nothing is held of bodies to /auth/token, which is refused unread', async () => {
  const before = await residentBytes();
  const callers = await openMany(CONNECTIONS, unfinished('/auth/token'));
  expect(await peakGrowth(before, () => callers.every(isAnswered))).toBeLessThan(GROWTH_BYTES_MAX);
  destroyAll(callers);
});

test('a body sent byte by byte holds little more than its size', async () => {
  const chunks = '1\r\n \r\n'.repeat(40_000);
  const before = await residentBytes();
  const callers = await openMany(10, Buffer.from(`${jsonHead('POST', '/webhooks')}${chunks}0\r\n\r\n`));
  expect(await peakGrowth(before, () => callers.every(isAnswered))).toBeLessThan(GROWTH_BYTES_MAX);
  destroyAll(callers);
});
