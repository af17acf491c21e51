import { insertEvents } from '../../src/webhooks/store/insert/insert-events.js';
import { readWebhookEvent } from '../../src/webhooks/receive/webhook-body.js';
import type { Insertion, ReceivedEvent } from '../../src/webhooks/store/webhook-event.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { ONE_SINK, useEventStore } from './event-store-setup.js';

const BYTES_MAX = 1_048_576;
const VALUES_MAX = 10_000;

/** A signed copy of the event `x`. */
function copy(members: object): ReceivedEvent {
  const event = readWebhookEvent({ id: 'x', hirerId: 'hirer-1', ...members });
  return { ...event, trust: 'signed', subscriptionId: null, requestId: null };
}

describe.each(TEST_DATABASES)('the copies of one event, in $name', ({ open }) => {
  const store = useEventStore(open);
  let written: number;

  const insert = (...events: ReceivedEvent[]): Promise<readonly Insertion[]> =>
    store.database.transaction(async (tx) => {
      written = 0;
      const counted: typeof tx = Object.assign(Object.create(tx) as typeof tx, {
        query: (sql: string, parameters: readonly string[] = []) => {
          written += parameters.join('').length;
          return tx.query(sql, parameters);
        },
      });
      return (await insertEvents(counted, events, ONE_SINK)).insertions;
    });
  const payload = async () => (await store.list())[0]!.payload as Record<string, unknown>;

  test('hold no more than 1 MiB together: beyond it a copy is a repeat', async () => {
    const large = (name: string) => copy({ [name]: 'ü'.repeat(200_000) });
    expect(await insert(large('a'))).toEqual(['stored']);
    expect(await insert(large('b'), large('c'))).toEqual(['completed', 'repeated']);
    expect(await insert(large('d'))).toEqual(['repeated']);
    expect(await insert(copy({ small: 1 }))).toEqual(['completed']);
    expect(Object.keys(await payload())).toEqual(['id', 'hirerId', 'a', 'b', 'small']);
    expect(Buffer.byteLength(JSON.stringify(await payload()))).toBeLessThan(BYTES_MAX);
  });

  test('hold no more than 10,000 values together: beyond it a copy is a repeat', async () => {
    const many = (name: string) => copy({ [name]: Array(4_000).fill(0) });
    expect(await insert(many('a'), many('b'), many('c'))).toEqual(['stored', 'completed', 'repeated']);
    expect(await insert(copy({ d: { e: Array(900).fill({}) } }))).toEqual(['completed']);
    expect(Object.keys(await payload())).toEqual(['id', 'hirerId', 'a', 'b', 'd']);
  });

  test('of one that came larger add nothing to it', async () => {
    const { length } = Array(VALUES_MAX);
    expect(await insert(copy({ a: Array(length).fill(0) }))).toEqual(['stored']);
    expect(await insert(copy({ small: 1 }))).toEqual(['repeated']);
    expect(Object.keys(await payload())).toEqual(['id', 'hirerId', 'a']);
  });

  test('of one call are joined in one write, however many they are', async () => {
    await insert(copy({ a: 'x'.repeat(500_000) }));
    const copies = Array.from({ length: 200 }, (_, index) => copy({ [`small${index}`]: index }));
    expect(await insert(...copies)).toEqual(copies.map(() => 'completed'));
    expect(written).toBeLessThan(1_000_000);
    expect(Object.keys(await payload())).toHaveLength(203);
  });

  test('of one webhook are joined a hundred in a turn of the event loop, so that it goes on in between', async () => {
    await insert(copy({}));
    let [joined, before, most] = [0, 0, 0];
    const copies = Array.from({ length: 1_000 }, (_, index) => {
      const { payload, ...rest } = copy({ [`m${index}`]: index });
      return Object.defineProperty({ ...rest, payload }, 'payload', { get: () => ((joined += 1), payload) });
    });
    const look = (): void => {
      most = Math.max(most, joined - before);
      before = joined;
      turn = setImmediate(look);
    };
    let turn = setImmediate(look);
    expect(await insert(...copies)).toEqual(copies.map(() => 'completed'));
    clearImmediate(turn);
    expect(joined).toBeGreaterThanOrEqual(1_000);
    expect(most).toBeLessThanOrEqual(400);
  });
});
