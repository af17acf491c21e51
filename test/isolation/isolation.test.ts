import { runIsolationDrill } from './drill.js';
import { DRILL_RUNS } from './drill-runs.js';

/** CI runs 20,000, `npm run drill:isolation` a million; a run is repeated with the seed that it prints. */
const OPERATIONS = Number(process.env['DRILL_OPERATIONS'] ?? 6_000);
const SEED = process.env['DRILL_SEED'] ?? String(Date.now());
const PATIENCE_MS = 60_000 + OPERATIONS * 20;

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

for (const { name, replicas, share, open } of DRILL_RUNS) {
  test(
    `${name}: nobody is served what was not theirs at that moment, and every upstream call has its cause`,
    async () => {
      const { settings, drop } = await open();
      const operations = Math.ceil(OPERATIONS * share);
      const report = await runIsolationDrill({ seed: SEED, operations, replicas, settings });
      await drop();
      expect(report.violations.join('\n')).toBe('');
      expect(report.operations).toBe(operations);
      for (const kind of SERVED) {
        expect(report.outcomes[`${kind} served`]).toBeGreaterThan(operations / 1_000);
      }
    },
    PATIENCE_MS,
  );
}
