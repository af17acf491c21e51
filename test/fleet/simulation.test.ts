import 'reflect-metadata';
import { LIFE_SECONDS, SimulatedFleet } from './simulated-fleet.js';
import { VirtualTime } from './virtual-time.js';

/**
 * The token module of a hundred replicas in virtual time: how often a fleet asks its upstream. docs/capacity.md has what
 * it means for a million users.
 */
const REPLICAS = 100;
const USERS = 500;
/** A user asks for a token with each page, at any replica. */
const PAGE_MS = 60_000;
/** Between one replica's restart and the next. */
const RESTART_MS = 3_000;
/** A token is handed out until five minutes before its end. */
const USEFUL_MS = (LIFE_SECONDS - 300) * 1000;

let time: VirtualTime;
let fleet: SimulatedFleet;
let seed: number;

beforeEach(() => {
  time = new VirtualTime();
  fleet = new SimulatedFleet(time, REPLICAS);
  seed = 17;
});

afterEach(() => {
  time.restore();
  expect(fleet.wrong).toEqual([]);
});

function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

/** Every user asks at four replicas within the same second. */
async function stampede(): Promise<void> {
  for (let index = 0; index < USERS * 4; index += 1) {
    void time.pause(random(1_000)).then(() => fleet.ask(index % USERS, random(REPLICAS)));
  }
  await time.advance(10_000);
}

/** Every user opens a page each minute, for so long. */
async function browse(forMs: number): Promise<void> {
  for (const end = time.now + forMs; time.now < end; await time.advance(PAGE_MS)) {
    for (let user = 0; user < USERS; user += 1) {
      void time.pause(random(PAGE_MS)).then(() => fleet.ask(user, random(REPLICAS)));
    }
  }
}

/** The most tokens that were asked for within any second since then. */
function mostMintsInASecond(since: number): number {
  const counts = new Map<number, number>();
  for (const at of fleet.mintedAt.filter((minted) => minted >= since)) {
    const second = Math.floor(at / 1000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

test('replicas that all start cold in the same second mint each token at most once each', async () => {
  await stampede();
  expect(fleet.mintedAt.length).toBeLessThanOrEqual(USERS * 4);
  expect(fleet.issued).toBeLessThanOrEqual(REPLICAS);
});

test('tokens that all end together are renewed as their users come back, once each, not all at once', async () => {
  await stampede();
  const before = fleet.mintedAt.length;
  await time.advance(USEFUL_MS - PAGE_MS);
  const since = time.now;
  await browse(4 * PAGE_MS);
  expect(fleet.mintedAt.length - before).toBe(USERS);
  expect(mostMintsInASecond(since)).toBeLessThan(USERS / 10);
  expect(fleet.issued).toBeLessThanOrEqual(2 * REPLICAS);
});

test('a rolling restart of all replicas asks for no token', async () => {
  await stampede();
  const [minted, issued] = [fleet.mintedAt.length, fleet.issued];
  for (let replica = 0; replica < REPLICAS; replica += 1) {
    void time.pause(replica * RESTART_MS).then(() => fleet.start(replica));
  }
  await browse(REPLICAS * RESTART_MS);
  expect([fleet.mintedAt.length, fleet.issued]).toEqual([minted, issued]);
});

test('without Redis each replica works alone: at most a token for each user and replica', async () => {
  fleet.redis.isUp = false;
  await stampede();
  expect(fleet.mintedAt.length).toBeGreaterThan(USERS);
  expect(fleet.mintedAt.length).toBeLessThanOrEqual(USERS * 4);
  expect(fleet.issued).toBeLessThanOrEqual(REPLICAS);
});

test('Redis that is lost and comes back costs what was minted meanwhile, and nothing later', async () => {
  await stampede();
  fleet.redis.isUp = false;
  await browse(3 * PAGE_MS);
  fleet.redis.isUp = true;
  const before = fleet.mintedAt.length;
  await browse(3 * PAGE_MS);
  expect(fleet.mintedAt).toHaveLength(before);
});
