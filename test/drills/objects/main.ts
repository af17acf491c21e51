import { join } from 'node:path';
import { DRILL_STORES } from '../kill/stores.js';
import { runObjectsDrill } from './drill.js';

/** `npm run drill:objects [applications [kills]]`: the long form of the drill, on SQLite and on `TEST_DATABASE_URL`. */
const [applications = 2_000, kills = 8] = process.argv.slice(2).map(Number);
const built = join(import.meta.dirname, '../../..');
let wrong = 0;

for (const { name, open } of DRILL_STORES) {
  const { settings, drop } = await open();
  const report = await runObjectsDrill({
    service: join(built, 'src/main.js'),
    backend: 'examples/backend',
    applications,
    kills,
    settings,
  });
  const { missing, surplus, wrong: rows, wrongFiles, strayFiles } = report;
  wrong += missing + surplus + rows + wrongFiles + strayFiles;
  console.log(name, report);
  await drop();
}
console.log(`wrong: ${wrong}`);
process.exit(wrong === 0 ? 0 : 1);
