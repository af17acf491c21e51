import supertest from 'supertest';
import type { ConditionName } from '../../src/telemetry/conditions/condition-table.js';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { active, only, askForToken, askGraphql } from './active-conditions.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import type { Stack } from '../support/start-stack.js';
import { STORE_OUTAGES, type StoreOutage } from '../support/store-outage.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const SECRET = 'a-webhook-secret-of-the-outages';
const ENDS_MS = 60_000;

interface World {
  readonly stack: Stack;
  readonly sink: JsonServer;
  readonly members: JsonServer;
  readonly store: StoreOutage;
  /** Where `TEST_REDIS_URL` names a server. */
  readonly redis: TcpGate | undefined;
}

/** An outage with the calls that meet it, and those that see it over. */
interface Outage {
  readonly conditions: readonly ConditionName[];
  begin(world: World): Promise<unknown>;
  end(world: World): Promise<unknown>;
}

export async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n += 1) await work();
}

/** Ends the faults of one route. */
function heal({ stack }: World, route: string): void {
  const { faults } = stack.playground;
  const others = faults.list().filter(({ fault }) => fault.route !== route);
  faults.clear();
  for (const { fault } of others) faults.add(fault);
}

/** A token that is in no cache. */
async function mint({ stack }: World): Promise<number> {
  await stack.service.app.get(BrowserTokens).dropHirers([stack.playground.demo.hirers[0]!.hirerId]);
  return askForToken(stack);
}

/** In the order in which they begin: one that keeps calls from the next comes after it. */
export const OUTAGES: Readonly<Record<string, Outage>> = {
  'event sink': {
    conditions: ['deliveries-failing'],
    begin: async ({ sink, stack }) => {
      sink.answer = json({}, 500);
      await sendWebhook(stack.url, SECRET, [anEvent(), anEvent(), anEvent()]);
    },
    end: async ({ sink, stack }) => {
      sink.answer = json({}, 200);
      const { body } = await supertest(stack.opsUrl).get('/events?payload=false');
      await supertest(stack.opsUrl).post(`/events/${body.items[0].id}/redeliver`);
    },
  },
  upstream: {
    conditions: ['upstream-failing'],
    begin: async ({ stack }) => {
      stack.playground.faults.add({ route: 'graphql', times: 0, status: 500 });
      await askGraphql(stack, 'amelia', 4);
    },
    end: async (world) => {
      const { stack } = world;
      heal(world, 'graphql');
      await until(async () => {
        await askGraphql(stack, 'amelia', 1);
        return !(await active(stack)).some(({ name }) => name === 'upstream-failing');
      }, ENDS_MS);
    },
  },
  'limit of the upstream': {
    conditions: ['upstream-rate-limited'],
    begin: async (world) => {
      world.stack.playground.faults.add({ route: 'auth-token', times: 0, status: 429 });
      await times(3, () => mint(world));
    },
    end: async (world) => {
      heal(world, 'auth-token');
      await until(async () => (await mint(world)) === 200, ENDS_MS);
    },
  },
  issuer: {
    conditions: ['issuer-failing', 'partner-token-missing'],
    begin: async (world) => {
      const { playground } = world.stack;
      playground.tokens.revoke({ kind: 'partner' });
      playground.faults.add({ route: 'oauth-token', times: 0, status: 503 });
      await until(async () => {
        await mint(world);
        return (await active(world.stack)).some(({ name }) => name === 'issuer-failing');
      }, ENDS_MS);
    },
    end: async (world) => {
      heal(world, 'oauth-token');
      await until(async () => {
        await mint(world);
        return !(await active(world.stack)).some(({ name }) => name === 'issuer-failing');
      }, ENDS_MS);
    },
  },
  'identity provider': {
    conditions: ['identity-provider-failing'],
    begin: async ({ stack }) => {
      stack.playground.faults.add({ route: 'jwks', times: 0, status: 500 });
      await times(3, () => supertest(stack.opsUrl).post('/end-user-keys/reload'));
    },
    end: async (world) => {
      heal(world, 'jwks');
      await supertest(world.stack.opsUrl).post('/end-user-keys/reload');
    },
  },
  'membership service': {
    conditions: ['memberships-failing'],
    begin: async ({ members, stack }) => {
      members.answer = json({}, 500);
      await times(3, () => askGraphql(stack, 'bayu', 1));
    },
    end: async ({ members, stack }) => {
      members.answer = ofHirers(stack);
      await askGraphql(stack, 'bayu', 1);
    },
  },
  Redis: {
    conditions: ['redis-failing'],
    begin: async ({ redis }) => redis!.shut(),
    end: async ({ redis }) => redis!.open(),
  },
  database: {
    conditions: ['database-failing'],
    begin: ({ store }) => store.begin(),
    end: ({ store }) => store.end(),
  },
};

const ofHirers = ({ playground }: Stack) =>
  json({ memberships: playground.demo.hirers.map(({ hirerId }) => ({ hirerId, roles: ['member'] })) });

async function startWorld(): Promise<World & { close(): Promise<void> }> {
  const server = process.env['TEST_REDIS_URL'] ? new URL(process.env['TEST_REDIS_URL']) : undefined;
  const redis = server && (await openTcpGate(Number(server.port || 6379), server.hostname));
  const [sink, members] = await Promise.all([startJsonServer(json({})), startJsonServer(json({}))]);
  const store = await STORE_OUTAGES.at(-1)!.start({
    WEBHOOK_SECRETS: SECRET,
    EVENT_SINK_URL: sink.url.href,
    EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
    HIRER_ACCESS: 'http',
    HIRER_ACCESS_URL: members.url.href,
    ...(redis && { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
  });
  const { stack } = store;
  members.answer = ofHirers(stack);
  await until(async () => (await supertest(stack.opsUrl).get('/readyz')).status === 200);
  const close = async (): Promise<void> => {
    await store.close();
    await Promise.all([sink.close(), members.close(), redis?.close()]);
  };
  return { stack, sink, members, store, redis, close };
}

/** Begins outages one after the other and ends them in turn: each has its conditions alone, over with the first success. */
export async function suffer(...names: readonly string[]): Promise<void> {
  const outages = names.map((name) => OUTAGES[name]!);
  const world = await startWorld();
  const onlyOf = (count: number): Promise<void> =>
    only(world.stack, ...outages.slice(0, count).flatMap(({ conditions }) => conditions));
  try {
    await onlyOf(0);
    for (const [index, outage] of outages.entries()) {
      await outage.begin(world);
      await onlyOf(index + 1);
    }
    for (let left = outages.length - 1; left >= 0; left -= 1) {
      await outages[left]!.end(world);
      await onlyOf(left);
    }
  } finally {
    await world.close();
  }
}
