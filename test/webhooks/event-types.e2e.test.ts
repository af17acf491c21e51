import supertest from 'supertest';
import { useStack } from '../support/start-stack.js';
import { anEvent, sendWebhook } from './send-webhook.js';

const SECRET = 'secret-of-the-upstream';

const stack = useStack({ WEBHOOK_SECRETS: SECRET });

test('an event is listed, streamed and filtered under the type it was sent with, which no metric label shows', async () => {
  const sent = ['Something New', 'position-profile.posted/v2', 'Ереигнис 🎉', 'x'.repeat(300), 'a\u0000b\nc'];
  const kept = [...sent.slice(0, 3), `${'x'.repeat(255)}…`, 'a\ufffdb\ufffdc'];
  const events = sent.map((type) => anEvent({ type }));
  expect((await sendWebhook(stack.url, SECRET, events)).status).toBe(204);
  for (const [index, type] of kept.entries()) {
    const { body } = await supertest(stack.opsUrl).get(`/events?type=${encodeURIComponent(type)}`);
    expect(body.items).toMatchObject([{ id: events[index]!['id'], type, payload: events[index] }]);
  }
  const amelia = await stack.playground.signIn('amelia');
  const stream = await fetch(`${stack.url}/events/stream`, {
    headers: { authorization: `Bearer ${amelia}`, 'last-event-id': String(events[0]!['id']) },
  });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let streamed = '';
  while (!streamed.includes(String(events[4]!['id']))) streamed += (await reader.read()).value;
  await reader.cancel();
  for (const type of kept.slice(1)) expect(streamed).toContain(`data: {"type":${JSON.stringify(type)}`);
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  expect(text).toContain('bff_webhook_events_total{type="other",outcome="stored"}');
  for (const type of kept) expect(text).not.toContain(type);
});

test.each([
  ['missing', undefined],
  ['a number', 7],
  ['empty', ''],
])('an event whose type is %s is listed as Unknown', async (_name, type) => {
  const event = anEvent({ type });
  expect((await sendWebhook(stack.url, SECRET, [event])).status).toBe(204);
  const { body } = await supertest(stack.opsUrl).get('/events');
  expect(body.items[0]).toMatchObject({ id: event['id'], type: 'Unknown' });
});
