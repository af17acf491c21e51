import { join } from 'node:path';
import { builtService, COMPILE_CACHE } from '../support/start-process.js';
import { DRILL_STORES } from './kill-drill-stores.js';
import { runKillDrill } from './kill-drill.js';

const ROUNDS = 3; // `npm run drill:webhooks` runs fifty

test.each(DRILL_STORES)(
  'on $name, killed under load, nothing that was acknowledged is lost or stays undelivered',
  async ({ open }) => {
    const { settings, storedIds, drop } = await open();
    const report = await runKillDrill({
      program: join(builtService(), 'bundle/main.js'),
      rounds: ROUNDS,
      settings: { ...COMPILE_CACHE, ...settings },
      storedIds,
    });
    expect(report).toMatchObject({ lost: 0, undelivered: 0, invalid: 0 });
    await drop();
  },
);
