import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Fails when a tool that `npm run check` needs is missing, so that no check is left out silently. Of the servers that
 * only some suites use, it says what is not tested without them.
 */
const { CHROMIUM_PATH = '/usr/bin/chromium', PATH = '' } = process.env;
const { TEST_DATABASE_URL, TEST_REDIS_URL, TEST_NATS_URL, TEST_AMQP_URL } = process.env;

const missing = [
  !isExecutable(CHROMIUM_PATH) &&
    `Chromium is not at ${CHROMIUM_PATH}; page tests need it. Install it (Debian: apt-get install -y chromium), or set CHROMIUM_PATH.`,
  !PATH.split(delimiter).some((folder) => isExecutable(join(folder, 'promtool'))) &&
    'promtool is not installed; the tests of the alert rules need it. It comes with Prometheus (Debian: apt-get install -y prometheus).',
].filter(Boolean);

if (!TEST_DATABASE_URL) {
  console.log('TEST_DATABASE_URL is not set: stores are tested on SQLite only, not on PostgreSQL.');
}
if (!TEST_REDIS_URL) console.log('TEST_REDIS_URL is not set: what replicas share in Redis is not tested.');
if (!TEST_NATS_URL) console.log('TEST_NATS_URL is not set: events to NATS are not tested.');
if (!TEST_AMQP_URL) console.log('TEST_AMQP_URL is not set: events to RabbitMQ are not tested.');
const OPTIONAL = {
  python3: 'the receiver of examples/backend in Python is not tested.',
  nginx: 'deploy/nginx is not tested.',
  pgbouncer: 'the service behind PgBouncer is not tested.',
  'nats-server': 'the death of NATS under load is not tested.',
  'rabbitmq-server': 'the death of RabbitMQ under load is not tested.',
  kubectl: 'the overlay of deploy/kubernetes is not rendered.',
  'systemd-analyze': 'deploy/systemd is not verified.',
};
for (const [program, without] of Object.entries(OPTIONAL)) {
  const isThere = PATH.split(delimiter).some((folder) => isExecutable(join(folder, program)));
  if (!isThere) console.log(`${program} is not installed: ${without}`);
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
