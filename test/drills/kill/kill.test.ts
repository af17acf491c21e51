import { join } from 'node:path';
import { builtService, COMPILE_CACHE } from '../../support/start-process.js';
import { DRILL_STORES } from './stores.js';
import { runKillDrill } from './drill.js';

/** CI kills three times, `npm run drill:webhooks` fifty. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 1);

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
