import type { EventEmitter } from 'node:events';
import { DashboardFeed } from '../../src/ops/dashboard/dashboard-feed.js';
import { startStack, type Stack } from '../support/start-stack.js';

let stack: Stack;
let feed: DashboardFeed;
beforeAll(async () => {
  stack = await startStack();
  feed = stack.service.app.get(DashboardFeed, { strict: false });
});
afterAll(() => stack.close());

/** Pages that messages are queued for. */
const followers = (): number =>
  (feed as unknown as { emitter: EventEmitter }).emitter.listenerCount('message');

test('nothing is queued for a page that leaves before it reads on', async () => {
  const messages = feed.follow();
  expect((await messages.next()).value).toMatchObject({ event: 'history' });
  await messages.return(undefined);
  expect(followers()).toBe(0);
});

test('HEAD has the headers of the stream and begins none', async () => {
  const url = `${stack.opsUrl}/dashboard/feed`;
  const { status, headers } = await fetch(url, { method: 'HEAD' });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const page = await fetch(url);
  const reader = page.body!.getReader();
  await reader.read();
  expect(followers()).toBe(1);
  await reader.cancel();
});
