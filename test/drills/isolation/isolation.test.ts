import { runIsolationDrill } from './drill.js';
import { DRILL_RUNS } from './drill-runs.js';

/** CI runs 6,000, `npm run drill:isolation` a million; a run is repeated with the seed that it prints. */
const OPERATIONS = Number(process.env['DRILL_OPERATIONS'] ?? 1_000);
/** Of each run: fewer may hold no event that is served. */
const OPERATIONS_MIN = 1_000;
/** The few of a bare run are of one form. */
const RUNS = OPERATIONS > OPERATIONS_MIN ? DRILL_RUNS : DRILL_RUNS.slice(0, 1);
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
      const { settings, drop } = await open();
      const operations = Math.max(OPERATIONS_MIN, Math.ceil(OPERATIONS * share));
      const { violations, ...report } = await runIsolationDrill({
        seed: SEED,
        operations,
        replicas,
        settings,
      });
      await drop();
      expect({ violations }).toEqual({ violations: [] });
      expect(report.operations).toBe(operations);
      for (const kind of SERVED) {
        expect(report.outcomes[`${kind} served`]).toBeGreaterThan(operations / 1_000);
      }
    },
    PATIENCE_MS,
  );
}
