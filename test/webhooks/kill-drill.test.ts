import { execFileSync } from 'node:child_process';
import { DRILL_STORES } from './kill-drill-stores.js';
import { runKillDrill } from './kill-drill.js';

const PROGRAM = 'dist-bench/src/main.js';
const ROUNDS = 3; // `npm run drill:webhooks` runs fifty

beforeAll(() => {
  execFileSync('node_modules/.bin/swc', ['src', '--out-dir', 'dist-bench', '--copy-files', '--quiet']);
}, 30_000);

test.each(DRILL_STORES)(
  'on $name, killed under load, nothing that was acknowledged is lost or stays undelivered',
  async ({ open }) => {
    const { settings, storedIds, drop } = await open();
    const report = await runKillDrill({ program: PROGRAM, rounds: ROUNDS, settings, storedIds });
    expect(report).toMatchObject({ lost: 0, undelivered: 0 });
    await drop();
  },
  60_000,
);
