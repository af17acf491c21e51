import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../../support/start-process.js';
import { NOTHING_LOST } from '../kill/drill.js';
import { CAN_MOUNT, Disk } from './disks.js';
import { runFleetDrill } from './drill.js';
import { POWER_CUTS } from './power-cuts.js';
import { faultsOf, lastingFaultsOf } from './report.js';

/** How long each fault lasts. `npm run drill:fleet` has each of them last six seconds, and looks at times too. */
const SECONDS = Number(process.env['DRILL_SECONDS'] ?? 1);
const IS_LONG = SECONDS > 1;
/** `npm run drill:fleet` cuts twenty times. */
const CUTS = Number(process.env['DRILL_CUTS'] ?? 2);
const FAULTS = IS_LONG ? '' : 'replica|Redis is killed|PostgreSQL is cut off|disk';
const PATIENCE_MS = IS_LONG ? 3_600_000 : 300_000;

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
    const only = new RegExp(process.env['DRILL_FAULTS'] ?? FAULTS);
    const report = await runFleetDrill(builtProgram(), SECONDS, only);
    const faults = IS_LONG ? faultsOf(report) : lastingFaultsOf(report);
    expect(faults.length > 0 ? { faults, report } : {}).toEqual({});
  },
  PATIENCE_MS,
);

test.each(POWER_CUTS)(
  'a power cut on $name loses no acknowledged event',
  async ({ run }) => {
    expect(await run(CUTS)).toMatchObject(NOTHING_LOST);
  },
  PATIENCE_MS,
);

test('a power cut of the drill loses what was not synced to its disk', () => {
  const disk = Disk.make(8);
  const [kept, lost] = [join(disk.folder, 'kept'), join(disk.folder, 'lost')];
  writeFileSync(kept, 'text', { flush: true });
  writeFileSync(lost, 'text');
  disk.cutPower();
  expect([kept, lost].map((file) => existsSync(file))).toEqual([true, false]);
});
