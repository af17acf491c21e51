import { type Bff, BffError } from '../src/client.js';
import { streamEvents, type BffEvent } from '../src/events.js';
import { BANKSIA, CHAO_PHRAYA } from '../../test/proxy/proxy-stack.js';
import { useStack } from '../../test/support/start-stack.js';
import { openTcpGate, type TcpGate } from '../../test/support/raw-connection.js';
import { until } from '../../test/support/until.js';
import { anEvent, sendWebhook } from '../../test/webhooks/send-webhook.js';
import { openPage, pageBefore } from './page.js';

const SECRET = 'a-secret-of-the-event-tests';

const stack = useStack({ WEBHOOK_SECRETS: SECRET });
let gate: TcpGate;
beforeAll(async () => {
  gate = await openTcpGate(Number(new URL(stack.url).port), '127.0.0.1');
});

/** Reads the stream until the test ends. */
function listen(bff: Bff) {
  const events: BffEvent[] = [];
  const opened: boolean[] = [];
  const breaks: unknown[] = [];
  const read = async (): Promise<void> => {
    const options = {
      onOpen: ({ isResumed }: { isResumed: boolean }) => opened.push(isResumed),
      onBreak: ({ error }: { error: unknown }) => breaks.push(error),
    };
    for await (const event of streamEvents(bff, options)) events.push(event);
  };
  return { events, opened, breaks, ended: read() };
}

async function emit(hirerId: string = BANKSIA): Promise<string> {
  const event = anEvent({ hirerId });
  await sendWebhook(stack.url, SECRET, [event]);
  return event['id'] as string;
}

test("the stream gives the events of the user's hirers, and ends with sign-out", async () => {
  const { bff } = openPage(stack);
  const stream = listen(bff);
  await until(() => stream.opened.length === 1);
  await emit(CHAO_PHRAYA);
  const id = await emit();
  await until(() => stream.events.length > 0);
  expect(stream.events).toEqual([
    {
      id,
      type: 'CandidateApplicationCreated',
      timestamp: expect.any(String),
      data: expect.objectContaining({ id, hirerId: BANKSIA }),
    },
  ]);
  bff.signOut();
  await stream.ended;
});

test('a stream that is cut comes back, and gives what happened meanwhile, once', async () => {
  const { bff } = openPage(stack, { url: `http://127.0.0.1:${gate.port}` });
  const stream = listen(bff);
  await until(() => stream.opened.length === 1);
  const first = await emit();
  await until(() => stream.events.length === 1);
  gate.shut();
  const missed = await emit();
  await until(() => stream.breaks.length > 0);
  gate.open();
  await until(() => stream.events.length === 2);
  expect(stream.events.map(({ id }) => id)).toEqual([first, missed]);
  expect(stream.opened).toEqual([false, true]);
  expect(stream.breaks[0]).toMatchObject({ code: 'NETWORK_ERROR' });
  bff.signOut();
  await stream.ended;
});

test('a user whom the service refuses is an error, not a loop', async () => {
  const { bff } = openPage(stack, { getUserToken: () => 'not-a-token' });
  const stream = listen(bff);
  await expect(stream.ended).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });
  await expect(stream.ended).rejects.toBeInstanceOf(BffError);
});

test('a user token that cannot be had for a moment breaks the stream, which comes back', async () => {
  let calls = 0;
  const offline = new TypeError('Failed to fetch');
  const getUserToken = async () => ((calls += 1) === 1 ? Promise.reject(offline) : 'token');
  const bff = pageBefore(async () => new Response(': open'), { getUserToken });
  const stream = listen(bff);
  await until(() => stream.opened.length === 1);
  expect(stream.breaks[0]).toMatchObject({ code: 'NETWORK_ERROR', cause: offline });
  bff.signOut();
  await stream.ended;
});

test('a stream that ends whenever it has opened is opened again after a pause that doubles', async () => {
  const bff = pageBefore(async () => new Response(': open'));
  const waits: number[] = [];
  const reading = streamEvents(bff, { onBreak: ({ waitMs }) => waits.push(waitMs) }).next();
  await until(() => waits.length === 3);
  bff.signOut();
  await reading;
  expect(waits[2]).toBeGreaterThanOrEqual(2_000);
});

test('nothing comes after sign-out, from what has arrived already either', async () => {
  const bff = pageBefore(async () => new Response('id: 1\ndata: {}\n\nid: 2\ndata: {}\n\n'));
  const ids: string[] = [];
  for await (const { id } of streamEvents(bff)) {
    ids.push(id);
    bff.signOut();
  }
  expect(ids).toEqual(['1']);
});

test('events that arrive in pieces, and comments between them, are read as they were sent', async () => {
  const text =
    ': open\n\nid: a:1\ndata: {"type":"T","timestamp":"é","data":{"id":"a:1"}}\n\n: still here\n\nid: a:2\ndata: {"type":"U","timestamp":"t","data":{}}\n\n';
  const bytes = new TextEncoder().encode(text);
  let isClosed = false;
  const pieces = new ReadableStream({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
    },
  });
  const bff = pageBefore(async (_url, init) => {
    init!.signal!.addEventListener('abort', () => (isClosed = true));
    return new Response(pieces);
  });
  const seen: BffEvent[] = [];
  for await (const event of streamEvents(bff)) {
    seen.push(event);
    if (seen.length === 2) break;
  }
  expect(isClosed).toBe(true); // leaving the loop ends the request
  expect(seen).toEqual([
    { id: 'a:1', type: 'T', timestamp: 'é', data: { id: 'a:1' } },
    { id: 'a:2', type: 'U', timestamp: 't', data: {} },
  ]);
});
