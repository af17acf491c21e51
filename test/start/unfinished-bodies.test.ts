import { jsonHead, openRaw, type RawConnection } from '../support/raw-connection.js';
import { useStack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, postWebhook, signWebhook, webhookBody } from '../webhooks/send-webhook.js';

const BODY_BYTES = 1_000_000;
const SECRET = 'webhook-secret-of-this-test';
/** Of 64 MiB. */
const HELD_MAX = 67;

const stack = useStack({ WEBHOOK_SECRETS: SECRET });

/** Opens connections, and sends on each all of a body but its last byte. */
async function openMany(count: number, path: string): Promise<RawConnection[]> {
  const callers = await Promise.all(Array.from({ length: count }, () => openRaw(stack.url)));
  for (const { socket } of callers) {
    socket.write(jsonHead('POST', path, BODY_BYTES));
    socket.write(Buffer.alloc(BODY_BYTES - 1, ' '));
  }
  return callers;
}

const isAnswered = ({ received }: RawConnection): boolean => received() !== '';

test('of webhook bodies that do not end 64 MiB are held and the others refused, and a signed webhook gets in', async () => {
  const callers = await openMany(HELD_MAX + 10, '/webhooks');
  await until(() => callers.filter(isAnswered).length >= 10);
  for (const { received } of callers.filter(isAnswered)) {
    expect(received()).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 5\r\n[^]*"code":"unavailable"/);
  }
  const body = webhookBody([anEvent({ note: 'x'.repeat(900_000) })]);
  let status = 0;
  await until(async () => {
    ({ status } = await postWebhook(stack.url, body, { 'seek-signature': signWebhook(body, SECRET) }));
    return status !== 503;
  });
  expect(status).toBe(204);
});

test('bodies of strangers to /auth/token are refused unread', async () => {
  const callers = await openMany(20, '/auth/token');
  await until(() => callers.every(isAnswered));
  for (const { received } of callers) expect(received()).toMatch(/^HTTP\/1\.1 401 /);
});
