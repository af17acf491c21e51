import { runOverloadDrill } from './drill.js';
import { faultsOf, lastingFaultsOf } from './bounds.js';

/**
 * `npm run drill:overload` has the users work under attack for 45 seconds after ten in quiet, with attacks at their full
 * rates, and looks at times too. `DRILL_ATTACKS` names single attacks, separated by commas.
 */
const { DRILL_QUIET = 1, DRILL_SECONDS, DRILL_INTENSITY = 0.5, DRILL_ATTACKS } = process.env;
const PATIENCE_MS = 180_000 + 1_000 * (Number(DRILL_QUIET) + Number(DRILL_SECONDS ?? 0));

test(
  'nothing that one address and one member send takes the service from twenty others',
  async () => {
    const report = await runOverloadDrill({
      quietSeconds: Number(DRILL_QUIET),
      attackSeconds: Number(DRILL_SECONDS ?? 7),
      intensity: Number(DRILL_INTENSITY),
      only: DRILL_ATTACKS?.split(','),
    });
    const faults = DRILL_SECONDS === undefined ? lastingFaultsOf(report) : faultsOf(report);
    expect(faults.length > 0 ? { faults, report } : {}).toEqual({});
    expect(report.attacks.map(({ sent }) => sent > 0)).not.toContain(false);
  },
  PATIENCE_MS,
);
