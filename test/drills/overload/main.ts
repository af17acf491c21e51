import { runOverloadDrill } from './drill.js';
import { faultsOf } from './bounds.js';
import { describeDrill } from './report.js';

/**
 * `npm run drill:overload`: the long form of the overload drill. `DRILL_SECONDS` (45) under attack after `DRILL_QUIET`
 * (10); `DRILL_INTENSITY` (1) multiplies the rates; `DRILL_ATTACKS` names single attacks, separated by commas.
 */
const { DRILL_SECONDS = '45', DRILL_QUIET = '10', DRILL_INTENSITY = '1', DRILL_ATTACKS } = process.env;

const report = await runOverloadDrill({
  quietSeconds: Number(DRILL_QUIET),
  attackSeconds: Number(DRILL_SECONDS),
  intensity: Number(DRILL_INTENSITY),
  only: DRILL_ATTACKS?.split(','),
});
console.log(describeDrill(report));
const faults = faultsOf(report);
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
