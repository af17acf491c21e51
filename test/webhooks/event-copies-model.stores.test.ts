import { setImmediate as nextTurn } from 'node:timers/promises';
import { SeededRandom } from '../../playground/src/data/random.js';
import type { Database } from '../../src/storage/database.js';
import { Deliveries } from '../../src/webhooks/store/deliveries.js';
import { DEFAULT_SINK } from '../../src/webhooks/store/event-sinks.js';
import { EventInbox } from '../../src/webhooks/store/event-inbox.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { EventRecords } from '../../src/webhooks/store/event-records.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import type { Insertion, ReceivedEvent } from '../../src/webhooks/webhook-event.js';
import { StreamedEvents } from '../../src/webhooks/stream/streamed-events.js';
import { forgetEvents } from '../support/stored.js';
import { testDatabases } from '../support/test-database.js';
import { LEASE_MS, ONE_SINK, reconciled, reportOf, signed } from './event-store-setup.js';

const EVENTS = 12;
const MEMBERS = ['id', 'type', 'createDateTime', 'hirerId', 'candidateId', 'candidateApplicationProfileId'];

/** The copies of an event that exist: how each is known, and what it lacks. */
const COPIES = [
  { trust: 'reconciled', lacks: ['hirerId', 'candidateId', 'candidateApplicationProfileId'] },
  { trust: 'reconciled', lacks: ['hirerId'] },
  { trust: 'reconciled', lacks: [] },
  { trust: 'signed', lacks: [] },
  { trust: 'signed', lacks: ['hirerId'] },
] as const;

/** The history of one event. */
class History {
  readonly members = new Set<string>();
  readonly signedMembers = new Set<string>();
  isSigned = false;
  completions = 0;
  /** Payloads whose delivery was reported, in order. */
  readonly delivered: string[] = [];
  streamed: string | undefined;
}

const hirerOf = (id: string): string => `hirer-of-${id}`;

function copyOf(id: string, { trust, lacks }: (typeof COPIES)[number]): ReceivedEvent {
  const all = MEMBERS.map((name) => [name, `${name} of ${id}`]);
  const known = { ...Object.fromEntries(all), id, hirerId: hirerOf(id), type: 'HirerRelationshipChanged' };
  const missing: readonly string[] = lacks;
  const members = Object.entries(known).filter(([name]) => !missing.includes(name));
  return (trust === 'signed' ? signed : reconciled)(Object.fromEntries(members));
}

describe.each(testDatabases())('$name', ({ name, open }) => {
  const rounds = name === 'SQLite' ? 60 : 20;

  test(`however copies race across replicas, with deliveries and streams, in ${rounds} random runs, each event ends as what its copies say together`, async () => {
    const { database, replica } = await open();
    const replicas = [database, replica()];
    for (let seed = 0; seed < rounds; seed += 1) {
      await forgetEvents(database);
      await new Round(replicas, new SeededRandom(`copies ${seed}`)).run();
    }
  });
});

/** One random run. */
class Round {
  private readonly histories: Map<string, History>;
  private isOver = false;

  constructor(
    private readonly replicas: readonly Database[],
    private readonly random: SeededRandom,
  ) {
    const ids = Array.from({ length: EVENTS }, (_, index) => `e${index}`);
    this.histories = new Map(ids.map((id) => [id, new History()]));
  }

  async run(): Promise<void> {
    const workers = [...this.replicas.map((database) => this.deliver(database)), this.read()];
    await Promise.all(this.calls().map((events) => this.send(events)));
    this.isOver = true;
    await Promise.all(workers);
    await this.judge();
  }

  /** One to five copies of each event, shuffled into calls of one source each. */
  private calls(): ReceivedEvent[][] {
    const copies = [...this.histories.keys()].flatMap((id) =>
      Array.from({ length: this.random.int(1, 5) }, () => copyOf(id, this.random.pick(COPIES))),
    );
    const places = new Map(copies.map((copy) => [copy, this.random.next()]));
    const shuffled = copies.toSorted((a, b) => places.get(a)! - places.get(b)!);
    const calls: ReceivedEvent[][] = [];
    for (const copy of shuffled) {
      const last = calls.at(-1);
      if (last?.[0]?.trust === copy.trust && this.random.chance(0.6)) last.push(copy);
      else calls.push([copy]);
    }
    return calls;
  }

  private async send(events: ReceivedEvent[]): Promise<void> {
    await this.pause(30);
    const database = this.random.pick(this.replicas);
    const insertions = await this.insert(database, events);
    events.forEach(({ id, trust, payload }, index) => {
      const history = this.histories.get(id)!;
      for (const member of Object.keys(JSON.parse(payload) as object)) {
        history.members.add(member);
        if (trust === 'signed') history.signedMembers.add(member);
      }
      history.isSigned ||= trust === 'signed';
      if (insertions[index] === 'completed') history.completions += 1;
    });
  }

  private async insert(database: Database, events: ReceivedEvent[]): Promise<readonly Insertion[]> {
    if (events[0]!.trust === 'signed') {
      return new EventInbox(database, ONE_SINK, new EventNotices(database)).put(events);
    }
    const { insertions } = await database.transaction((tx) => insertEvents(tx, events, ONE_SINK));
    return insertions;
  }

  /** A replica's deliverer: slow at times, so that events are completed meanwhile. */
  private async deliver(database: Database): Promise<void> {
    const queue = new Deliveries(database, DEFAULT_SINK, LEASE_MS);
    for (let wasOver = false; !wasOver;) {
      wasOver = this.isOver;
      const taken = await queue.claim(this.random.int(1, 4));
      if (taken.length > 0) wasOver = false;
      for (const event of taken) {
        await this.pause(10);
        const isReported = await queue.report(event, reportOf(event));
        if (isReported) this.histories.get(event.id)!.delivered.push(event.payload!);
      }
      await this.pause(3);
    }
  }

  /** A browser that may see every hirer. */
  private async read(): Promise<void> {
    const events = new StreamedEvents(this.replicas[1]!);
    const hirers = [...this.histories.keys()].map(hirerOf);
    let place = 0;
    for (let wasOver = false; !wasOver;) {
      wasOver = this.isOver;
      const page = await events.after(place, hirers);
      for (const { id, data } of page.events) this.histories.get(id)!.streamed = data;
      place = page.place;
      await this.pause(3);
    }
  }

  private async judge(): Promise<void> {
    const { items } = await new EventRecords(this.replicas[0]!, ONE_SINK).list({});
    expect(items).toHaveLength(EVENTS);
    for (const { id, trust, hirerId, payload, state } of items) {
      const { members, signedMembers, isSigned, completions, delivered, streamed } = this.histories.get(id)!;
      expect([id, trust, state]).toEqual([id, isSigned ? 'signed' : 'reconciled', 'delivered']);
      const found = Object.keys(payload as object);
      expect([...members]).toEqual(expect.arrayContaining(found));
      expect(found).toEqual(expect.arrayContaining([...(isSigned ? signedMembers : members)]));
      expect(hirerId).toBe(members.has('hirerId') ? hirerOf(id) : null);
      expect(JSON.parse(delivered.at(-1)!)).toEqual(payload);
      expect(new Set(delivered).size).toBe(delivered.length); // no form twice
      expect(delivered.length).toBeLessThanOrEqual(1 + completions);
      if (members.has('hirerId')) expect(JSON.parse(streamed!).data).toEqual(payload);
      else expect(streamed).toBeUndefined();
    }
  }

  private async pause(turnsMax: number): Promise<void> {
    for (let turns = this.random.int(0, turnsMax); turns > 0; turns -= 1) await nextTurn();
  }
}
