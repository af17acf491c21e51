import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Fails when a tool that `npm run check` needs is missing, and says which servers the suites do without. */
const { CHROMIUM_PATH = '/usr/bin/chromium', PATH } = process.env;
const promtool = PATH.split(delimiter).map((folder) => join(folder, 'promtool'));

const missing = [
  !isExecutable(CHROMIUM_PATH) &&
    `Chromium is not at ${CHROMIUM_PATH}; page tests need it. Install it (Debian: apt-get install -y chromium), or set CHROMIUM_PATH.`,
  !promtool.some(isExecutable) &&
    'promtool is not installed; the tests of the alert rules need it. It comes with Prometheus (Debian: apt-get install -y prometheus).',
].filter(Boolean);
for (const name of ['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'TEST_NATS_URL', 'TEST_AMQP_URL']) {
  if (!process.env[name]) console.log(`${name} is not set: what needs this server is not tested.`);
}
for (const sentence of missing) console.error(sentence);
process.exitCode = missing.length > 0 ? 1 : 0;

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
