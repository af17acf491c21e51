import { Deliveries, type Claimed } from '../../src/webhooks/store/deliveries.js';
import { DEFAULT_SINK } from '../../src/webhooks/store/event-sinks.js';
import { EventRedelivery } from '../../src/webhooks/store/redeliver-events.js';
import { EventRetention } from '../../src/webhooks/store/event-retention.js';
import { testDatabases } from '../support/test-database.js';
import { SeededRandom } from '../../playground/src/data/random.js';
import type { BffError } from '../../src/errors/bff-error.js';
import { ONE_SINK, received, reportOf, useEventStore, WINDOW_MS } from './event-store-setup.js';

const LEASE_MS = 1_000;
const STEPS = 25;
const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** The expected record of an event in the store. */
interface ModelEvent {
  state: string;
  received: number;
  lastReceivedAt: number;
  attempts: number;
  dueAt: number | null;
  lease: number;
  hasPayload: boolean;
  /** Where streams find it: the last event of the store keeps its record. */
  place: number;
}

describe.each(testDatabases())('$name', ({ name, open }) => {
  const store = useEventStore(open);
  const sequences = name === 'SQLite' ? 150 : 100;

  test(`agrees with a model in ${sequences} random sequences of operations on events`, async () => {
    const { database } = store;
    const queue = new Deliveries(database, DEFAULT_SINK, LEASE_MS);
    const redelivery = new EventRedelivery(database, ONE_SINK);
    const retention = new EventRetention(database, ONE_SINK);

    for (let seed = 0; seed < sequences; seed += 1) {
      const random = new SeededRandom(`events ${seed}`);
      const requeue = (known: ModelEvent) =>
        Object.assign(known, { state: 'pending', dueAt: store.clock, attempts: 0, lease: known.lease + 1 });
      const model = new Map<string, ModelEvent>();
      let places = 0;
      const held: Claimed[] = []; // stale leases stay in it: reports on them must change nothing
      await store.reset();

      const put = async (): Promise<void> => {
        const ids = IDS.filter(() => random.chance(1 / 3));
        if (ids.length === 0) return;
        const insertions = await store.inbox.put(ids.map((id) => received(id)));
        for (const [index, id] of ids.entries()) {
          const known = model.get(id);
          expect(insertions[index] === 'stored').toBe(!known);
          if (!known) {
            const fresh = { state: 'pending', received: 1, lastReceivedAt: store.clock, attempts: 0 };
            model.set(id, { ...fresh, dueAt: store.clock, lease: 0, hasPayload: true, place: (places += 1) });
            continue;
          }
          const isLate = known.lastReceivedAt < store.clock - WINDOW_MS;
          if (isLate && ['delivered', 'dead'].includes(known.state)) requeue(known);
          Object.assign(known, {
            received: known.received + 1,
            lastReceivedAt: store.clock,
            hasPayload: true,
          });
        }
      };
      const take = async (): Promise<void> => {
        const taken = await queue.claim(random.int(1, 3));
        for (const event of taken) {
          const known = model.get(event.id)!;
          expect(known.dueAt).toBeLessThanOrEqual(store.clock);
          known.attempts += 1;
          known.lease += 1;
          known.dueAt = store.clock + LEASE_MS;
          expect([event.lease, event.attempts]).toEqual([known.lease, known.attempts]);
        }
        held.push(...taken);
        const overlooked = [...model.values()].filter(({ dueAt }) => dueAt !== null && dueAt <= store.clock);
        if (taken.length === 0) expect(overlooked).toEqual([]);
      };
      const report = async (): Promise<void> => {
        if (held.length === 0) return;
        const event = random.pick(held);
        const known = model.get(event.id);
        const isOurs = known?.lease === event.lease;
        const state = random.pick(['delivered', 'failed', 'dead'] as const);
        const pauseMs = state === 'failed' ? 500 : null;
        expect(await queue.report(event, reportOf(event, { state, pauseMs }))).toBe(isOurs);
        if (isOurs) Object.assign(known, { state, dueAt: pauseMs && store.clock + pauseMs });
      };
      const withdraw = async (): Promise<void> => {
        const event = held.find(({ id, lease }) => (model.get(id)?.lease ?? 0) > lease);
        if (event) await queue.withdraw(event); // under an older lease: no event leaves the queue
      };
      const redeliver = async (): Promise<void> => {
        const id = random.pick(IDS);
        const known = model.get(id);
        const outcome = await redelivery.redeliver(id, false, undefined).then(
          () => 'queued',
          ({ detail }: BffError) => (detail.includes('payload') ? 'purged' : 'unknown'),
        );
        expect(outcome).toBe(!known ? 'unknown' : known.hasPayload ? 'queued' : 'purged');
        if (known?.hasPayload) requeue(known);
      };
      const purge = async (): Promise<void> => {
        const before = store.clock - 3_000;
        await retention.purgePayloads(before);
        for (const known of model.values()) {
          if (known.dueAt === null && known.lastReceivedAt < before) known.hasPayload = false;
        }
      };
      const forget = async (): Promise<void> => {
        const before = store.clock - 5_000;
        await retention.purgeRecords(before);
        for (const [id, known] of model) {
          const isFinished = known.dueAt === null && !known.hasPayload && known.lastReceivedAt < before;
          if (isFinished && known.place < places) model.delete(id);
        }
      };
      const wait = async (): Promise<void> =>
        void (store.clock += random.int(100, random.chance(1 / 4) ? WINDOW_MS * 2 : 1_500));

      const steps = [put, take, take, report, report, withdraw, redeliver, purge, purge, forget, wait, wait];
      for (let step = 0; step < STEPS; step += 1) await random.pick(steps)();
      const rows = (await store.records().list({})).items.map((item) => [
        item.id,
        {
          state: item.state,
          received: item.repeats + 1,
          attempts: item.attempts,
          dueAt: item.dueAt === null ? null : Date.parse(item.dueAt),
          hasPayload: item.payload !== null,
        },
      ]);
      expect(rows).toHaveLength(model.size);
      expect(Object.fromEntries(model)).toMatchObject(Object.fromEntries(rows));
    }
  });
});
