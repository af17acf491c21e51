import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram, builtService, COMPILE_CACHE } from '../../support/start-process.js';
import { CAN_MOUNT, Disk } from './disks.js';
import { runFleetDrill, type DrillReport, type FaultReport } from './drill.js';
import { HAS_SERVERS } from './own-servers.js';
import { POWER_CUTS } from './power-cuts.js';
import { describeDrill, faultsOf, lastingFaultsOf } from './report.js';
import type { DrillReport as CutsReport } from '../../webhooks/kill-drill.js';

const PATIENCE_MS = 300_000;
const ROUNDS = 2; // `npm run drill:fleet` cuts twenty times

/** Empty where the servers are not installed, or nothing can be mounted. */
const SERVERS = HAS_SERVERS ? ['servers of its own'] : [];
const DISKS = HAS_SERVERS && CAN_MOUNT ? POWER_CUTS : [];

const HELD = { megabytes: 150, descriptors: 40 };
const FAULT: FaultReport = {
  name: 'Redis is killed',
  requests: 10,
  unconnected: 0,
  refused: {},
  wrong: {},
  longestMs: 100,
  mayRefuse: false,
  recoverySeconds: 1,
};
const REPORT: DrillReport = {
  faults: [FAULT],
  acknowledged: 5,
  undelivered: 0,
  holdings: [{ before: HELD, after: HELD }],
};

test.each<[string, Partial<DrillReport>]>([
  ['a wrong answer', { faults: [{ ...FAULT, wrong: { 'token: 500 internal_error': 1 } }] }],
  ['a refusal without need', { faults: [{ ...FAULT, refused: { 'token: 503 unavailable': 1 } }] }],
  ['a late answer', { faults: [{ ...FAULT, longestMs: 10_001 }] }],
  ['a long recovery', { faults: [{ ...FAULT, recoverySeconds: 5.1 }] }],
  ['that no webhook was taken', { acknowledged: 0 }],
  ['an event that is not delivered', { undelivered: 1 }],
  ['a replica that has grown', { holdings: [{ before: HELD, after: { ...HELD, megabytes: 401 } }] }],
  ['descriptors that stay open', { holdings: [{ before: HELD, after: { ...HELD, descriptors: 81 } }] }],
])('the drill tells of %s', (_what, change) => {
  expect(faultsOf(REPORT)).toEqual([]);
  expect(faultsOf({ ...REPORT, ...change })).toHaveLength(1);
});

for (const servers of SERVERS) {
  test(
    `on ${servers}, whatever fails, three replicas lose no event, give no one what is another's, and are well again`,
    async () => {
      const report = await runFleetDrill({
        program: builtProgram(),
        faultSeconds: 1,
        only: /replica|Redis is killed|PostgreSQL is cut off|disk/,
        canMount: CAN_MOUNT,
      });
      const faults = lastingFaultsOf(report);
      expect(faults.length > 0 ? [...faults, describeDrill(report)].join('\n') : '').toBe('');
    },
    PATIENCE_MS,
  );
}

describe('a power cut', () => {
  let reports: readonly PromiseSettledResult<CutsReport>[];
  beforeAll(async () => {
    const program = join(builtService(), 'bundle/main.js');
    reports = await Promise.allSettled(DISKS.map(({ run }) => run(program, ROUNDS, COMPILE_CACHE)));
  }, PATIENCE_MS);

  for (const [at, { name }] of DISKS.entries()) {
    test(`on ${name} loses no acknowledged event`, () => {
      const report = reports[at]!;
      if (report.status === 'rejected') throw report.reason;
      expect(report.value).toMatchObject({ lost: 0, undelivered: 0, invalid: 0 });
      expect(report.value.acknowledged).toBeGreaterThan(0);
    });
  }
});

if (CAN_MOUNT) {
  test('the disk of the drill forgets what was not synced when its power is cut', () => {
    const disk = Disk.make(8);
    const [kept, lost] = [join(disk.folder, 'kept'), join(disk.folder, 'lost')];
    writeFileSync(kept, 'text', { flush: true });
    writeFileSync(lost, 'text');
    disk.cutPower();
    expect([kept, lost].map((file) => existsSync(file))).toEqual([true, false]);
    disk.remove();
  });
}
