import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { pino } from 'pino';
import type { HirerAccess } from '../../src/hirer-access/hirer-access.port.js';
import { EventStreams } from '../../src/webhooks/stream/event-streams.js';
import type { EventNotices } from '../../src/webhooks/store/event-notices.js';
import type { StreamedEvents, StreamedPage } from '../../src/webhooks/stream/streamed-events.js';
import { anEndUser } from '../support/parts.js';
import { until } from '../support/until.js';

const EVENT_BYTES = 10_000;
const ada = anEndUser('ada');

/** Streams over memberships and events that the test controls. */
function setUp(heartbeatMs = 15_000) {
  const source = {
    failing: false,
    endless: false,
    eventsRead: 0,
    list: async () => {
      await new Promise(setImmediate);
      if (source.failing) throw new Error('no memberships');
      return new Map([['hirer', { hirerId: 'hirer', roles: ['member'] }]]);
    },
    placeAfter: async () => 0,
    after: async (place: number): Promise<StreamedPage> => {
      if (!source.endless) return { events: [], place, hasMore: false };
      source.eventsRead += 1;
      return {
        events: [{ id: String(place), hirerId: 'hirer', data: 'x'.repeat(EVENT_BYTES) }],
        place: place + 1,
        hasMore: true,
      };
    },
  };
  const streams = new EventStreams(
    source as unknown as StreamedEvents,
    source as unknown as HirerAccess,
    { listen: () => undefined } as unknown as EventNotices,
    pino({ level: 'silent' }),
    Date.now,
    heartbeatMs,
  );
  return { source, streams };
}

async function openAll(streams: EventStreams, times: number, user = ada): Promise<PassThrough[]> {
  const results = await Promise.allSettled(
    Array.from({ length: times }, () => streams.start(user, undefined)),
  );
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Of so many streams that one user requests at once, ten open. */
async function expectTenOf(streams: EventStreams, times: number): Promise<void> {
  const opened = await openAll(streams, times);
  expect(opened).toHaveLength(10);
  await closeAll(opened);
}

async function closeAll(bodies: readonly PassThrough[]): Promise<void> {
  await Promise.all(bodies.map((body) => (body.destroy(), once(body, 'close'))));
}

test('of 500 streams that one user requests at once, ten open, and closed ones make room', async () => {
  const { streams } = setUp();
  for (let round = 0; round < 3; round += 1) await expectTenOf(streams, 500);
});

test('all users together have 2,000 streams', async () => {
  const { streams } = setUp();
  const users = Array.from({ length: 250 }, (_, index) => anEndUser(`user-${index}`));
  const opened = (await Promise.all(users.map((user) => openAll(streams, 10, user)))).flat();
  expect(opened).toHaveLength(2_000);
  await expect(streams.start(anEndUser('late'), undefined)).rejects.toMatchObject({ code: 'unavailable' });
  await closeAll(opened);
});

test('a token that has expired opens none, though the clock skew lets it in: the stream would end at once', async () => {
  const { streams } = setUp();
  const late = { ...ada, expiresAt: Date.now() };
  await expect(streams.start(late, undefined)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a stream that cannot be opened does not count', async () => {
  const { source, streams } = setUp();
  source.failing = true;
  expect(await openAll(streams, 50)).toEqual([]);
  source.failing = false;
  await expectTenOf(streams, 50);
});

test('for a browser that reads nothing, few events are read, no heartbeat is added, and the stream ends', async () => {
  const { source, streams } = setUp(10);
  source.endless = true;
  const body = await streams.start(ada, undefined);
  await until(() => body.writableNeedDrain);
  const held = new Set<number>();
  await until(() => body.destroyed || !held.add(body.writableLength + body.readableLength));
  expect(held.size).toBe(1);
  expect(source.eventsRead * EVENT_BYTES).toBeLessThan(500_000);
  await expectTenOf(streams, 50);
});

test('a browser that is slow gets nothing that is sent after its membership ended', async () => {
  const { source, streams } = setUp();
  const events = Array.from({ length: 40 }, () => ({
    id: 'e',
    hirerId: 'hirer',
    data: 'x'.repeat(EVENT_BYTES),
  }));
  source.after = async (place) => ({ events: place > 0 ? [] : events, place: 20, hasMore: false });
  const body = await streams.start(ada, undefined);
  await until(() => body.writableNeedDrain);
  source.list = async () => new Map();
  let read = 0;
  body.on('data', (chunk: Buffer) => (read += chunk.length));
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  await closeAll([body]);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(20 * EVENT_BYTES);
});

test('a stream that is being opened when the listener closes ends', async () => {
  const { source, streams } = setUp();
  const gate = Promise.withResolvers<number>();
  source.placeAfter = () => gate.promise;
  const starting = streams.start(ada, undefined);
  await new Promise(setImmediate);
  streams.close();
  gate.resolve(0);
  const body = await starting;
  await once(body.resume(), 'end');
});

test('a browser that is slow, but reads, keeps its stream', async () => {
  const { source, streams } = setUp(10);
  source.endless = true;
  const body = await streams.start(ada, undefined);
  const reader = setInterval(() => body.read(), 2);
  const before = source.eventsRead;
  await until(() => source.eventsRead > before + 60);
  expect(body.destroyed).toBe(false);
  clearInterval(reader);
  await closeAll([body]);
});
