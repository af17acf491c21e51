import { join } from 'node:path';
import { DRILL_STORES } from './stores.js';
import { runKillDrill } from './drill.js';

/** `npm run drill:webhooks [rounds]`: the long form of the kill drill, on SQLite and on `TEST_DATABASE_URL`. */
const rounds = Number(process.argv[2] ?? 50);
const program = join(import.meta.dirname, '../../../src/main.js');
let lost = 0;

for (const { name, open } of DRILL_STORES) {
  const { settings, storedIds, drop } = await open();
  const onKilled = (kills: number, acknowledged: number): void => {
    if (kills % 10 === 0) {
      console.log(`${name}: killed ${kills} times of ${rounds}, ${acknowledged} events acknowledged`);
    }
  };
  const report = await runKillDrill({ program, rounds, settings, storedIds, onKilled });
  lost += report.lost + report.undelivered + report.invalid;
  console.log(name, report);
  await drop();
}
console.log(`lost, undelivered or invalid: ${lost}`);
process.exit(lost === 0 ? 0 : 1);
