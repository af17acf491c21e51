import { join } from 'node:path';
import { copyExample } from '../../../client/test/project.js';
import { builtService } from '../../support/start-process.js';
import { DRILL_STORES } from '../kill/stores.js';
import { runObjectsDrill } from './drill.js';

const APPLICATIONS = 100; // `npm run drill:objects` lets 2,000 apply, and kills each eight times
const PATIENCE_MS = 240_000;

let backend: string;
beforeAll(async () => {
  backend = await copyExample('examples/backend');
}, PATIENCE_MS);

test.each(DRILL_STORES)(
  'on $name, with service and back end killed, each application is kept once, with its files',
  async ({ open }) => {
    const { settings, drop } = await open();
    const report = await runObjectsDrill({
      service: join(builtService(), 'bundle/main.js'),
      backend,
      applications: APPLICATIONS,
      kills: 1,
      settings,
    });
    expect(report).toMatchObject({ missing: 0, surplus: 0, wrong: 0, wrongFiles: 0, strayFiles: 0 });
    expect(report.rows).toBeGreaterThanOrEqual(APPLICATIONS);
    expect(report.files).toBeGreaterThan(APPLICATIONS);
    await drop();
  },
  PATIENCE_MS,
);
