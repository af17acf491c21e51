import { join } from 'node:path';
import { CAN_MOUNT } from './disks.js';
import { runFleetDrill } from './drill.js';
import { POWER_CUTS } from './power-cuts.js';
import { describeCuts, describeDrill, faultsOf } from './report.js';

/**
 * `npm run drill:fleet`: the long form of the fleet drill. `DRILL_SECONDS` (6) is how long each fault lasts, `DRILL_CUTS`
 * (20) how often the power of each store is cut, `DRILL_FAULTS` a pattern of names of faults.
 */
const { DRILL_SECONDS = '6', DRILL_CUTS = '20', DRILL_FAULTS = '' } = process.env;
const main = join(import.meta.dirname, '../../../src/main.js');

if (!CAN_MOUNT) console.log('nothing can be mounted here: no disk is filled, and no power is cut');
const report = await runFleetDrill({
  program: { args: [main] },
  faultSeconds: Number(DRILL_SECONDS),
  only: new RegExp(DRILL_FAULTS),
  canMount: CAN_MOUNT,
});
console.log(describeDrill(report));
const faults = faultsOf(report);
for (const { name, run } of CAN_MOUNT && Number(DRILL_CUTS) > 0 ? POWER_CUTS : []) {
  const cuts = await run(main, Number(DRILL_CUTS), {});
  console.log(describeCuts(name, cuts));
  if (cuts.lost + cuts.undelivered + cuts.invalid > 0) {
    faults.push(`${name}: events were lost in a power cut`);
  }
}
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
