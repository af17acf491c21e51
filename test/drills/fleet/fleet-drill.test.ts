import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram, builtService, COMPILE_CACHE } from '../../support/start-process.js';
import { CAN_MOUNT, Disk } from './disks.js';
import { runFleetDrill } from './drill.js';
import { POWER_CUTS } from './power-cuts.js';
import { describeDrill, lastingFaultsOf } from './report.js';

const PATIENCE_MS = 300_000;
const ROUNDS = 2; // `npm run drill:fleet` cuts twenty times

beforeAll(() => {
  if (!CAN_MOUNT) {
    throw new Error(
      'The disks of this drill cannot be mounted: run it as root, with loop devices and e2fsprogs.',
    );
  }
});

test(
  "whatever fails, three replicas lose no event, give no one what is another's, and are well again",
  async () => {
    const report = await runFleetDrill({
      program: builtProgram(),
      faultSeconds: 1,
      only: /replica|Redis is killed|PostgreSQL is cut off|disk/,
      canMount: true,
    });
    const faults = lastingFaultsOf(report);
    expect(faults.length > 0 ? [...faults, describeDrill(report)].join('\n') : '').toBe('');
  },
  PATIENCE_MS,
);

test.each(POWER_CUTS)(
  'a power cut on $name loses no acknowledged event',
  async ({ run }) => {
    const report = await run(join(builtService(), 'bundle/main.js'), ROUNDS, COMPILE_CACHE);
    expect(report).toMatchObject({ lost: 0, undelivered: 0, invalid: 0 });
    expect(report.acknowledged).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);

test('the disk of the drill forgets what was not synced when its power is cut', () => {
  const disk = Disk.make(8);
  const [kept, lost] = [join(disk.folder, 'kept'), join(disk.folder, 'lost')];
  writeFileSync(kept, 'text', { flush: true });
  writeFileSync(lost, 'text');
  disk.cutPower();
  expect([kept, lost].map((file) => existsSync(file))).toEqual([true, false]);
  disk.remove();
});
