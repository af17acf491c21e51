import { expectShortTurns } from '../support/until.js';
import { useStack } from '../support/start-stack.js';
import { anEvent, postWebhook, sendWebhook, signWebhook, webhookBody } from './send-webhook.js';

const SECRETS = Array.from({ length: 4 }, (_, index) => `secret-of-the-upstream-${index}`);
const LARGE_BYTES = 1_000_000;
/** Each has a body of its own, signed beforehand: that is no work of the service. */
const RUNS_MAX = 3;

const stack = useStack({ WEBHOOK_SECRETS: SECRETS.join() });

test('ten bodies of 1 MB from a stranger, with every secret to try, hold no turn of the loop over 50 ms', async () => {
  const forged = Buffer.alloc(LARGE_BYTES, ' ');
  const signed = Array.from({ length: RUNS_MAX }, () => {
    const body = webhookBody([anEvent({ note: 'x'.repeat(LARGE_BYTES) })]);
    return { body, signature: signWebhook(body, SECRETS.at(-1)!) };
  });
  await expectShortTurns(async () => {
    const large = signed.pop()!;
    const strangers = Array.from({ length: 10 }, async () => {
      const answer = await postWebhook(stack.url, forged, { 'seek-signature': '0'.repeat(128) });
      return answer.status;
    });
    const small = SECRETS.map(async (secret) => (await sendWebhook(stack.url, secret, [anEvent()])).status);
    const answer = await postWebhook(stack.url, large.body, { 'seek-signature': large.signature });
    expect(answer.status).toBe(204);
    expect(await Promise.all(small)).toEqual(SECRETS.map(() => 204));
    expect(await Promise.all(strangers)).toEqual(Array(10).fill(401));
  });
}, 120_000); // three runs
