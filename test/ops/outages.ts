import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, introspectionFromSchema } from 'graphql';
import supertest from 'supertest';
import type { JwksKeys } from '../../src/auth/keys/jwks-keys.js';
import { KeySource } from '../../src/auth/keys/key-source.js';
import type { Environment } from '../../src/config/load-config.js';
import { SchemaWatch } from '../../src/ops/schema-check/schema-watch.js';
import type { ConditionName } from '../../src/telemetry/conditions/condition-table.js';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { active, only, askForToken, askGraphql } from './active-conditions.js';
import { newFolder, testRedis } from '../support/machine.js';
import { json, startJsonServer, type JsonServer, SINK_SECRET } from '../support/json-server.js';
import type { Stack } from '../support/start-stack.js';
import { startStoreOutage, type StoreOutage } from '../support/test-database.js';
import { openTcpGate, type TcpGate } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const SECRET = 'a-webhook-secret-of-the-outages';
const SECRET_FILES = ['PARTNER_CLIENT_SECRET', 'WEBHOOK_SECRETS'] as const;
const ENDS_MS = 60_000;

interface World {
  readonly stack: Stack;
  readonly sink: JsonServer;
  readonly members: JsonServer;
  readonly store: StoreOutage;
  /** In a project with servers. */
  readonly redis: TcpGate | undefined;
  /** Writes the file of a secret, and has it read. */
  write(name: (typeof SECRET_FILES)[number], secret: string): Promise<unknown>;
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

function fetchKeys({ service }: Stack): Promise<void> {
  return service.app.get<KeySource, JwksKeys>(KeySource).fetch();
}

/** A token that is in no cache. */
async function mint({ stack }: World): Promise<number> {
  stack.service.app.get(BrowserTokens).dropHirers([stack.playground.demo.hirers[0]!.hirerId]);
  return askForToken(stack);
}

/** Asks for tokens until this is wrong. */
async function mintUntil(world: World, name: ConditionName): Promise<void> {
  await until(async () => {
    await mint(world);
    return (await active(world.stack)).some((one) => one.name === name);
  }, ENDS_MS);
}

async function untilMinted(world: World): Promise<void> {
  await until(async () => (await mint(world)) === 200, ENDS_MS);
}

const data = introspectionFromSchema(buildSchema('type Query { version: String }'));
const OTHER_SCHEMA = { status: 200, body: JSON.stringify({ data }), contentType: 'application/json' };

/** In the order in which they begin: one that keeps calls from the next comes after it. */
export const OUTAGES: Readonly<Record<string, Outage>> = {
  'slow upstream': {
    conditions: ['upstream-slow'],
    begin: async ({ stack }) => {
      stack.playground.faults.add({ route: 'graphql', times: 5, delayMs: 2_100 });
      await Promise.all(Array.from({ length: 5 }, () => askGraphql(stack, 'amelia', 1)));
    },
    end: ({ stack }) => askGraphql(stack, 'amelia', 100),
  },
  'new secret': {
    conditions: ['secret-refused'],
    begin: ({ write }) => write('WEBHOOK_SECRETS', 'short'),
    end: ({ write }) => write('WEBHOOK_SECRETS', SECRET),
  },
  schema: {
    conditions: ['schema-drift'],
    begin: ({ stack }) => {
      stack.playground.faults.add({ route: 'graphql', ...OTHER_SCHEMA });
      return stack.service.app.get(SchemaWatch).check();
    },
    end: ({ stack }) => stack.service.app.get(SchemaWatch).check(),
  },
  'dead events': {
    conditions: ['events-dead'],
    begin: async ({ sink, stack }) => {
      sink.answer = json({}, 410);
      await sendWebhook(stack.url, SECRET, [anEvent()]);
    },
    end: async ({ sink, stack }) => {
      sink.answer = json({}, 200);
      await supertest(stack.opsUrl).post('/events/redeliver').send({ state: 'dead' });
    },
  },
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
  'webhook secret': {
    conditions: ['webhooks-refused'],
    begin: async ({ stack }) => {
      await sendWebhook(stack.url, SECRET, [anEvent()]);
      await times(12, () => sendWebhook(stack.url, 'the secret of another', [anEvent()]));
    },
    end: ({ stack }) => times(12, () => sendWebhook(stack.url, SECRET, [anEvent()])),
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
      await untilMinted(world);
    },
  },
  credentials: {
    conditions: ['credentials-refused', 'partner-token-missing'],
    begin: async (world) => {
      await world.write('PARTNER_CLIENT_SECRET', 'not-the-secret-of-this-client');
      world.stack.playground.tokens.revoke({ kind: 'partner' });
      await mintUntil(world, 'credentials-refused');
    },
    end: async (world) => {
      await world.write('PARTNER_CLIENT_SECRET', SECRET);
      await untilMinted(world);
    },
  },
  issuer: {
    conditions: ['issuer-failing', 'partner-token-missing'],
    begin: async (world) => {
      const { playground } = world.stack;
      playground.tokens.revoke({ kind: 'partner' });
      playground.faults.add({ route: 'oauth-token', times: 0, status: 503 });
      await mintUntil(world, 'issuer-failing');
    },
    end: async (world) => {
      heal(world, 'oauth-token');
      await untilMinted(world);
    },
  },
  'identity provider': {
    conditions: ['identity-provider-failing'],
    begin: async ({ stack }) => {
      stack.playground.faults.add({ route: 'jwks', times: 0, status: 500 });
      await times(3, () => fetchKeys(stack));
    },
    end: async (world) => {
      heal(world, 'jwks');
      await fetchKeys(world.stack);
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

async function startWorld(): Promise<World> {
  const server = testRedis();
  const redis = server && (await openTcpGate(Number(server.port || 6379), server.hostname));
  const [sink, members] = await Promise.all([startJsonServer(json({})), startJsonServer(json({}))]);
  const folder = newFolder();
  const settings: Environment = {};
  for (const name of SECRET_FILES) {
    writeFileSync(join(folder, name), SECRET);
    Object.assign(settings, { [name]: undefined, [`${name}_FILE`]: join(folder, name) });
  }
  const overrides = {
    ...settings,
    EVENT_SINK_URL: sink.url.href,
    EVENT_SINK_SECRET: SINK_SECRET,
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
    HIRER_ACCESS: 'http',
    HIRER_ACCESS_URL: members.url.href,
    ...(redis && { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
  };
  const store = await startStoreOutage(overrides, { client: { clientSecret: SECRET } });
  const { stack } = store;
  members.answer = ofHirers(stack);
  await until(async () => (await supertest(stack.opsUrl).get('/readyz')).status === 200);
  const write: World['write'] = (name, secret) => {
    writeFileSync(join(folder, name), secret);
    return supertest(stack.opsUrl)
      .post('/secrets/reload')
      .then(({ status }) => expect(status).toBe(200));
  };
  return { stack, sink, members, store, redis, write };
}

/** In the first of these, nobody asks the issuer what would show the second. */
const UNSEEN = ['limit of the upstream, credentials', 'limit of the upstream, issuer', 'credentials, issuer'];

/**
 * Begins an outage, and others in it one after the other: each has its conditions and the first has its own, nobody else is
 * blamed, and with the first success it is over.
 */
export async function suffer(name: string, ...others: readonly string[]): Promise<void> {
  const world = await startWorld();
  const first = OUTAGES[name]!;
  await only(world.stack);
  await first.begin(world);
  await only(world.stack, ...first.conditions);
  for (const other of others.filter((one) => !UNSEEN.includes(`${name}, ${one}`))) {
    const { conditions, begin, end } = OUTAGES[other]!;
    await begin(world);
    await only(world.stack, ...new Set([...first.conditions, ...conditions]));
    await end(world);
    await only(world.stack, ...first.conditions);
  }
  await first.end(world);
  await only(world.stack);
}
