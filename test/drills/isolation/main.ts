import { DRILL_RUNS, type DrillRun } from './drill-runs.js';
import { runIsolationDrill } from './drill.js';

/**
 * `npm run drill:isolation`: the long form of the isolation drill. `DRILL_OPERATIONS` (1,000,000) are shared out among
 * the runs; `DRILL_SEED` repeats one. An argument chooses those runs that have it in their names.
 */
const operations = Number(process.env['DRILL_OPERATIONS'] ?? 1_000_000);
const seed = process.env['DRILL_SEED'] ?? String(Date.now());
const PROGRESS_EVERY = 10_000;

async function drill({ name, replicas, share, open }: DrillRun): Promise<number> {
  const count = Math.ceil(operations * share);
  const startedAt = Date.now();
  const onProgress = (done: number): void => {
    if (done % PROGRESS_EVERY !== 0) return;
    const rate = Math.round(done / ((Date.now() - startedAt) / 1000));
    const megabytes = Math.round(process.memoryUsage.rss() / 1e6);
    console.log(`${name}: ${done} of ${count}, ${rate} a second, ${megabytes} MB`);
  };
  const { settings, drop } = await open();
  const { violations, ...report } = await runIsolationDrill({
    seed,
    operations: count,
    replicas,
    settings,
    onProgress,
  });
  await drop();
  console.log(name, report);
  for (const violation of violations) console.log(violation);
  return violations.length;
}

console.log(`seed ${seed}`);
const chosen = DRILL_RUNS.filter(({ name }) => name.includes(process.argv[2] ?? ''));
let wrong = 0;
for (const run of chosen) wrong += await drill(run);
console.log(`wrong: ${wrong}`);
process.exit(wrong === 0 ? 0 : 1);
