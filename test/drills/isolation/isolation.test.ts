import { runIsolationDrill } from './drill.js';
import { TEST_DATABASES } from '../../support/test-database.js';

/** CI runs 6,000, `npm run drill:isolation` a million; a run is repeated with the seed that it prints. */
const OPERATIONS = Number(process.env['DRILL_OPERATIONS'] ?? 1_000);
/** Limits that busy users reach. */
const LIMITS = { RATE_LIMIT_REQUESTS_PER_MINUTE: '60', RATE_LIMIT_MINTS_PER_MINUTE: '2' };
const { TEST_REDIS_URL: REDIS_URL } = process.env;
const postgres = REDIS_URL ? TEST_DATABASES.find(({ isServer }) => isServer) : undefined;

/** The embedded stores, the same with limits, and, where PostgreSQL and Redis are there, replicas. */
const ALL_RUNS = [
  { name: 'embedded stores', replicas: 1, share: postgres ? 0.4 : 0.9, open: embedded({}) },
  { name: 'embedded stores, limited users', replicas: 1, share: 0.1, open: embedded(LIMITS) },
  ...(postgres
    ? [{ name: 'three replicas on PostgreSQL and Redis', replicas: 3, share: 0.5, open: postgres.open }]
    : []),
];

function embedded(settings: Readonly<Record<string, string>>) {
  return async () => ({ settings, drop: async () => undefined });
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
      const { settings } = await open();
      const operations = Math.max(OPERATIONS_MIN, Math.ceil(OPERATIONS * share));
      const { violations, ...report } = await runIsolationDrill({
        seed: SEED,
        operations,
        replicas,
        settings: replicas > 1 ? { ...settings, REDIS_URL } : settings,
      });
      expect({ violations }).toEqual({ violations: [] });
      expect(report.operations).toBe(operations);
      for (const kind of SERVED) {
        expect(report.outcomes[`${kind} served`]).toBeGreaterThan(operations / 1_000);
      }
    },
    PATIENCE_MS,
  );
}
