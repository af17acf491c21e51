import 'reflect-metadata';
import { startPlayground } from '../../playground/src/playground.js';
import { loadConfig } from '../../src/config/load-config.js';
import { startService } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import { askToken } from '../support/ask-token.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { TEST_DATABASES } from '../support/test-database.js';

const ASKED_EACH = 12;
const SCOPES = [
  'query:ad-products',
  'query:ontologies',
  'query:organizations',
  'query:ad-products query:ontologies',
  'query:ad-products query:organizations',
  'query:ontologies query:organizations',
];

const redis = process.env['TEST_REDIS_URL'];
const server = redis ? TEST_DATABASES.find(({ isServer }) => isServer) : undefined;
/** Without both servers, one process. */
const [kind, REPLICAS] = server ? [server, 3] : [TEST_DATABASES[0]!, 1];

test('replicas that start cold together ask the issuer once each, and for each token once each', async () => {
  const playground = await startPlayground({ port: 0, size: 20 });
  const { settings, drop } = await kind.open();
  const limits = { RATE_LIMIT_REQUESTS_PER_MINUTE: '0', RATE_LIMIT_MINTS_PER_MINUTE: '0' };
  const own = { ...settings, ...limits, USER_IN_FLIGHT_MAX: '1000', ...(server && { REDIS_URL: redis }) };
  const config = loadConfig(serviceEnvironment(playground, own));
  const log = openLog({ LOG_LEVEL: 'silent' });
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startService(config, log)));
  try {
    const { memberships } = playground.demo;
    await Promise.all(
      memberships.map(({ subject, hirerId }) =>
        fetch(`${replicas[0]!.opsUrl}/memberships/${subject}/${encodeURIComponent(hirerId)}`, {
          method: 'PUT',
        }),
      ),
    );
    const keys = memberships.flatMap((membership) => SCOPES.map((scope) => ({ ...membership, scope })));
    const requests = keys.flatMap((key) => Array.from({ length: ASKED_EACH }, () => key));
    const answers = await Promise.all(
      requests.map(async ({ subject, hirerId, scope }, index) => {
        const url = replicas[index % REPLICAS]!.publicUrl;
        return askToken({ url }, await playground.signIn(subject), { hirerId, scope });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const mints = playground.calls.list({ route: 'auth-token' }).length;
    expect([mints >= keys.length, mints <= keys.length * REPLICAS]).toEqual([true, true]);
    const issued = playground.calls.list({ route: 'oauth-token' }).length;
    expect([issued >= 1, issued <= REPLICAS]).toEqual([true, true]);
    const tokens = new Set(answers.map(({ body }) => body.access_token));
    expect(tokens.size).toBeLessThanOrEqual(mints);
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
    await drop();
    await playground.close();
  }
});
