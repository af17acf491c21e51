import { copyExample } from '../../../client/test/project.js';
import { TEST_DATABASES } from '../../support/test-database.js';
import { runObjectsDrill } from './drill.js';

/** `npm run drill:objects` lets 2,000 candidates apply, and kills each eight times. */
const { DRILL_APPLICATIONS = 100, DRILL_ROUNDS = 1 } = process.env;
const PATIENCE_MS = 240_000 * Number(DRILL_ROUNDS);

let backend: string;
beforeAll(async () => {
  backend = await copyExample('examples/backend');
}, PATIENCE_MS);

test.each(TEST_DATABASES)(
  'on $name, with service and back end killed, each application is kept once, with its files',
  async ({ isServer, open }) => {
    const applications = Number(DRILL_APPLICATIONS);
    const { settings, drop } = await open();
    const report = await runObjectsDrill({
      backend,
      applications,
      kills: Number(DRILL_ROUNDS),
      settings: isServer ? settings : {},
    });
    expect(report).toMatchObject({ missing: 0, surplus: 0, wrong: 0, wrongFiles: 0, strayFiles: 0 });
    expect(report.rows).toBeGreaterThanOrEqual(applications);
    expect(report.files).toBeGreaterThan(applications);
    await drop();
  },
  PATIENCE_MS,
);
