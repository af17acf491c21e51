import { createHmac } from 'node:crypto';
import { WebhookSignatures } from './webhook-signatures.js';

const SHARED = 'a-secret-of-two-senders';
const BODY = Buffer.from('{}');
const sign = (secret: string): string => createHmac('sha512', secret).update(BODY).digest('hex');

test.each([
  [
    'a general secret',
    { secrets: [SHARED], subscriptionSecrets: [{ id: 's:1', secret: SHARED }] },
    ['s:1', 's:2', null],
  ],
  [
    'another subscription',
    { secrets: [], subscriptionSecrets: ['s:1', 's:2'].map((id) => ({ id, secret: SHARED })) },
    ['s:1', 's:2'],
  ],
])('a secret that a subscription shares with %s speaks for both', async (_name, secrets, expected) => {
  const signatures = new WebhookSignatures({ ...secrets, algorithm: 'sha512', unsignedSubscriptions: [] });
  const senders = await signatures.sendersOf(BODY, sign(SHARED));
  const spokenFor = ['s:1', 's:2', null].filter((id) => senders.some((sender) => sender.speaksFor(id)));
  expect(spokenFor).toEqual(expected);
});
