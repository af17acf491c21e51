import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPlayground } from '../../playground/src/playground.js';
import { TEST_BROKERS } from '../../test/support/test-brokers.js';
import { freePort, startService } from '../server-process.js';

/**
 * Events a second from the webhook to the sink, on the embedded store: to an HTTP server that answers at once, and to the
 * brokers that `TEST_NATS_URL` and `TEST_AMQP_URL` name. Compare the sinks of one run, never two runs.
 */
const EVENTS = 1_500;
const EVENTS_PER_REQUEST = 30;
const CONCURRENCIES = [8, 32];
const ROUNDS = 3;
const SECRET = 'secret-of-the-bench-upstream';
const LOOK_MS = 20;
/** A sink that is slower gets no figure. */
const RUN_MS_MAX = 60_000;

interface Target {
  readonly name: string;
  readonly url: URL;
}

const playground = await startPlayground({ port: 0 });
let nextId = 0;

function nextBody(): string {
  const events = Array.from({ length: EVENTS_PER_REQUEST }, () => ({
    id: `bench:event:${(nextId += 1)}`,
    type: 'BenchEvent',
    createDateTime: new Date().toISOString(),
    hirerId: 'seekAnzPublicTest:organization:seek:93WyyF1h',
  }));
  return JSON.stringify({ subscriptionId: 'bench', events });
}

async function post(url: string): Promise<void> {
  const body = nextBody();
  const signature = createHmac('sha512', SECRET).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'seek-signature': signature };
  const { status } = await fetch(`${url}/webhooks`, { method: 'POST', headers, body });
  if (status !== 204) throw new Error(`status ${status}`);
}

async function delivered(ops: string): Promise<number> {
  const text = await (await fetch(`${ops}/metrics`)).text();
  return Number(/bff_webhook_deliveries_total\{[^}]*outcome="delivered"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
}

async function run({ url }: Target, concurrency: number): Promise<number> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const [publicUrl, ops] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${opsPort}`];
  const service = await startService(
    join(import.meta.dirname, '../../src/main.js'),
    {
      ...playground.settings,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'bench-sinks-')),
      WEBHOOK_SECRETS: SECRET,
      EVENTS_POLL_SECONDS: '86400',
      EVENT_SINK_URL: url.href,
      EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      EVENT_SINK_CONCURRENCY: String(concurrency),
      USER_ID_KEY: 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A',
      SEALING_KEY: 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs',
      PORT: String(port),
      OPS_PORT: String(opsPort),
    },
    `${publicUrl}/`,
  );
  const startedAt = performance.now();
  for (let sent = 0; sent < EVENTS; sent += EVENTS_PER_REQUEST) await post(publicUrl);
  while ((await delivered(ops)) < EVENTS) {
    if (performance.now() > startedAt + RUN_MS_MAX) throw new Error(`${url.protocol} took too long`);
    await delay(LOOK_MS);
  }
  const rate = EVENTS / ((performance.now() - startedAt) / 1000);
  service.stop();
  return rate;
}

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(204).end());
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const http = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
const brokers = await Promise.all(TEST_BROKERS.map(async ({ name, open }) => ({ name, ...(await open()) })));
for (const concurrency of CONCURRENCIES) {
  const targets: Target[] = [{ name: 'HTTP', url: http }, ...brokers];
  const rates = new Map(targets.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const target of targets) rates.get(target.name)!.push(await run(target, concurrency));
  }
  for (const [name, all] of rates) {
    const [, median] = all.sort((a, b) => a - b);
    console.log(`${concurrency} at once, ${name}: ${median!.toFixed(0)} events/s`);
  }
}
await Promise.all(brokers.map((broker) => broker.drop()));
await playground.close();
process.exit(0);
