import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { BANKSIA, CHAO_PHRAYA, startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.js';

const SECRET = 'the-secret-of-signed-subscriptions';

let stack: ProxyStack;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({
    UPSTREAM_URL: upstream.url,
    WEBHOOK_SECRETS: SECRET,
  });
  // an event of a type that names no hirer, as an upstream answers it
  upstream.script = ({ variables }) =>
    JSON.stringify({
      data: {
        event: {
          __typename: 'PositionNotPostedEvent',
          id: { value: variables.id },
          typeCode: 'PositionNotPosted',
        },
      },
    });
});
afterAll(async () => {
  await stack.close();
  await upstream.server.close();
});

const notPosted = (hirerId?: string) =>
  anEvent({ type: 'PositionNotPosted', reasonId: 'r', seekPartnerPositionId: 'p', hirerId });

/** Amelia's view of the event for Banksia: its type, or the code of the refusal. */
async function shownOf(id: unknown): Promise<unknown> {
  const { body } = await stack.ask({ documentId: 'Event', variables: { id } });
  return body.errors?.[0].extensions.code ?? body.data.event.typeCode;
}

test('an event that leads to no hirer is shown to the hirer of its signed webhook', async () => {
  const event = notPosted(BANKSIA);
  expect(await shownOf(event['id'])).toBe('FORBIDDEN');
  expect((await sendWebhook(stack.url, SECRET, [event])).status).toBe(204);
  expect(await shownOf(event['id'])).toBe('PositionNotPosted');
});

test.each([
  ['of another hirer', notPosted(CHAO_PHRAYA)],
  ['that named none', notPosted()],
])('one %s stays hidden', async (_, event) => {
  expect((await sendWebhook(stack.url, SECRET, [event])).status).toBe(204);
  expect(await shownOf(event['id'])).toBe('FORBIDDEN');
});

test.each([[['x']], [{ value: 'x' }], [7]])('an id that is %j is refused', async (id) => {
  expect(await shownOf(id)).toBe('BAD_USER_INPUT');
});
