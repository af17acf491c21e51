import type { Config } from '../../config/load-config.js';
import { HttpMemberships } from '../../hirer-access/sources/http-memberships.js';
import { HttpClient } from '../../http/outgoing/http-client.js';
import { examineRedis, examineStore, type StoreFinding } from '../../storage/examine-store.js';
import type { ConditionView } from '../../telemetry/conditions/conditions.js';
import { counted } from '../command.js';
import type { RunningService } from '../store/running-service.js';
import { clockOf } from './clock-checks.js';
import { fail, ok, warn, type Check, type Finding, type Result } from './finding.js';

/** No identity provider's user. */
const SUBJECT = 'partner-bff-doctor';

/** The membership service, asked for an unknown user; none where memberships are kept elsewhere. */
export function membershipChecks(config: Config): Check[] {
  const { HIRER_ACCESS, HIRER_ACCESS_URL: url, HIRER_ACCESS_SECRET: secret } = config;
  if (HIRER_ACCESS !== 'http' || url === undefined) return [];
  const run = async (): Promise<Result> => {
    const client = new HttpClient('membership-service', url, config, { connectionsMax: 1 });
    const service = new HttpMemberships(url, client, () => secret);
    const [issuer = ''] = config.END_USER_ISSUER;
    try {
      const { memberships } = await service.read({ issuer, subject: SUBJECT });
      return ok(`answers; ${counted(memberships.length, 'membership')} for an unknown user`);
    } finally {
      await client.close();
    }
  };
  const todo = 'check HIRER_ACCESS_URL and _SECRET; until it answers, users get 503 (docs/memberships.md)';
  return [{ name: 'membership service', todo, run }];
}

/** Database and Redis. An embedded database that a running service uses is asked of that service. */
export function storeChecks(config: Config, service: RunningService): Check[] {
  return [
    {
      name: 'database',
      todo: config.DATABASE_URL
        ? 'check DATABASE_URL, its server, and what its user may do'
        : 'check DATA_DIR, and what the user of this process may do there',
      run: async () => {
        const isInUse = config.DATABASE_URL === undefined && (await service.isThere());
        return isInUse
          ? ok('embedded, in use by the running service')
          : toFindings('database', await examineStore(config));
      },
    },
    {
      name: 'redis',
      todo: 'check REDIS_URL, its server, and what its user may do; without Redis each replica limits and caches on its own',
      run: async () => {
        if (config.REDIS_URL === undefined) return ok('not set: limits and tokens are kept in memory');
        return toFindings('redis', await examineRedis(config.REDIS_URL));
      },
    },
  ];
}

function toFindings(name: string, { seen, serverTime, todo }: StoreFinding): Finding[] {
  const result = todo === undefined ? ok(seen) : warn(seen, todo);
  return [{ name, ...result }, ...(serverTime === undefined ? [] : clockOf(name, serverTime))];
}

/** The running service's active conditions, one line each. */
export function serviceCheck(service: RunningService): Check {
  return {
    name: 'service',
    todo: 'check OPS_HOST, OPS_PORT and OPS_TOKEN',
    run: async () => {
      if (!(await service.isThere())) return ok('not running at OPS_HOST and OPS_PORT');
      const answer = await service.ask('GET', '/conditions');
      const { items } = (await answer.json()) as { items: ConditionView[] };
      const active = items.filter((condition) => condition.active);
      return active.length === 0 ? ok('running, without an active condition') : active.map(toFinding);
    },
  };
}

function toFinding({ name, severity, summary, since, action }: ConditionView): Finding {
  const judge = severity === 'page' ? fail : warn;
  return { name: `service, ${name}`, ...judge(`${summary} Since ${since}.`, action) };
}
