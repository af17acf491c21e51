import { startJsonServer, type JsonServer } from '../support/json-server.js';
import { LATE, within } from '../../src/concurrency/within.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from './send-webhook.js';

const SECRET = 'a-webhook-secret-of-32-bytes-000';
const LONGEST_MS = '60000'; // longer than the test may take
const STOP_MS_MAX = 5_000; // a margin: the modules stop in milliseconds

let stack: Stack | undefined;
let hanging: JsonServer;
/** Requests that get no answer, and those of them whose socket was closed. */
let open: number;
let cut: number;

beforeEach(async () => {
  [open, cut] = [0, 0];
  hanging = await startJsonServer((received, response) => {
    if (received.url === '/auth/token') return void response.writeHead(500).end();
    open += 1;
    response.on('close', () => (cut += 1));
  });
});
afterEach(async () => {
  await hanging.close();
  await stack?.playground.close();
});

test('a stop cancels a delivery to a sink that hangs, and does not wait for it', async () => {
  stack = await startStack({
    EVENT_SINK_URL: hanging.url.href,
    EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    EVENT_SINK_TIMEOUT_MS: LONGEST_MS,
    WEBHOOK_SECRETS: SECRET,
    SHUTDOWN_TIMEOUT_MS: LONGEST_MS,
  });
  expect((await sendWebhook(stack.url, SECRET, [anEvent()])).status).toBe(204);
  await until(() => open === 1);
  expect(await within(STOP_MS_MAX, stack.service.close())).not.toBe(LATE);
  await until(() => cut === 1);
});

test('a stop cancels an events query that hangs, and does not wait for it', async () => {
  stack = await startStack({
    UPSTREAM_URL: hanging.url.origin,
    UPSTREAM_TIMEOUT_MS: LONGEST_MS,
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
    SHUTDOWN_TIMEOUT_MS: LONGEST_MS,
  });
  await until(() => open === 1);
  expect(await within(STOP_MS_MAX, stack.service.close())).not.toBe(LATE);
  await until(() => cut === 1);
});
