import { runIsolationDrill } from './drill.js';
import { testRedis } from '../../support/machine.js';
import { POSTGRESQL } from '../../support/test-database.js';

/** CI runs 6,000, `npm run drill:isolation` a million; a run is repeated with the seed that it prints. */
const OPERATIONS = Number(process.env['DRILL_OPERATIONS'] ?? 1_000);
/** Limits that busy users reach. */
const LIMITS = { RATE_LIMIT_REQUESTS_PER_MINUTE: '60', RATE_LIMIT_MINTS_PER_MINUTE: '2' };
const redis = testRedis();

/** The embedded stores, and the same with limits; in a project with servers, replicas. */
const ALL_RUNS = redis
  ? [{ name: 'three replicas on PostgreSQL and Redis', replicas: 3, share: 0.5, open: replicated }]
  : [
      { name: 'embedded stores', replicas: 1, share: 0.4, open: async () => ({}) },
      { name: 'embedded stores, limited users', replicas: 1, share: 0.1, open: async () => LIMITS },
    ];

async function replicated() {
  return { ...(await POSTGRESQL.open()).settings, REDIS_URL: redis!.href };
}

/** Of each run: fewer may hold no event that is served. */
const OPERATIONS_MIN = 1_000;
/** The few of a bare run are of one form. */
const RUNS = OPERATIONS > OPERATIONS_MIN ? ALL_RUNS : ALL_RUNS.slice(0, 1);
const SEED = process.env['DRILL_SEED'] ?? String(Date.now());
const PATIENCE_MS = 300_000 + OPERATIONS * 20; // for a busy machine

/** The requests that must be served more than once in a thousand operations, or nothing was drilled. */
const SERVED = [
  'token',
  'hirers',
  'attachment',
  'graphql ObjectDetails',
  'item ChangeObject',
  'graphql Mine',
  'event',
];

for (const { name, replicas, share, open } of RUNS) {
  test(
    `${name}: nobody is served what was not theirs at that moment, and every upstream call has its cause`,
    async () => {
      const operations = Math.max(OPERATIONS_MIN, Math.ceil(OPERATIONS * share));
      const { violations, served, step } = await runIsolationDrill({
        seed: SEED,
        operations,
        replicas,
        settings: await open(),
      });
      expect({ violations }).toEqual({ violations: [] });
      expect(step).toBe(operations);
      for (const kind of SERVED) {
        expect(served.get(kind)).toBeGreaterThan(operations / 1_000);
      }
    },
    PATIENCE_MS,
  );
}
