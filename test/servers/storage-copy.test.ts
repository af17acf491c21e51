import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { newFolder, freePort } from '../support/machine.js';
import type { Playground } from '../../playground/src/playground.js';
import { AuditStore } from '../../src/audit/audit-store.js';
import type { AuditRecord } from '../../src/audit/audit-record.js';
import type { Environment } from '../../src/config/load-config.js';
import type { Service } from '../../src/service.js';
import { migrate } from '../../src/storage/migrate.js';
import { openEmbedded } from '../../src/storage/open-database.js';
import {
  askToken,
  type Json,
  openPlayground,
  startSilently,
  serviceEnvironment,
} from '../support/start-stack.js';
import { json, startJsonServer, webhookSettings, type JsonServer } from '../support/json-server.js';
import { runCommand, builtProgram } from '../support/start-process.js';
import { POSTGRESQL } from '../support/test-database.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { get, HIRER, WEBHOOK_SECRET } from '../command/store-setup.js';

const MANY_RECORDS = 30_000;
/** Code that ends the thread of the embedded database on a signal. */
const ENDS_THREAD = `data:text/javascript,
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('worker_threads', ({ worker }) => process.on('SIGUSR2', () => worker.terminate()));`;
/** The transaction of a copy that is under way. */
const INSERTING =
  "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'INSERT INTO audit %' AND datname = current_database()";
/** It waits for its next statement for longer than transactions of the service may. */
const LONG_IDLE = `${INSERTING} AND state = 'idle in transaction' AND state_change < now() - interval '11 s'`;

/** Everything that operators see of a store, all pages of it. */
async function viewsOf(service: Service): Promise<Json> {
  const all = async (path: string): Promise<Json[]> => {
    const items: Json[] = [];
    let next: string | null = '';
    do {
      const page: Json = await get(service, `${path}${next && `&after=${encodeURIComponent(next)}`}`);
      items.push(...page.items);
      next = page.next as string | null;
    } while (next !== null);
    return items;
  };
  return {
    memberships: await all('/memberships?'),
    audit: await all('/audit?'),
    ofHirer: await all(`/audit?hirer=${HIRER}`),
    events: await all('/events?'),
    dead: await all('/events?state=dead'),
  };
}

test('a copy needs a store, a target in the environment, and nothing of it on the command line', async () => {
  const folder = newFolder();
  const copy = (environment: Environment, ...argv: string[]) =>
    runCommand(['storage', 'copy', '--from', folder, ...argv], environment);
  const url = 'postgres://user:a-password@server.invalid/bff';
  const nothing = await copy({ DATABASE_URL: url });
  expect([nothing.code, nothing.err]).toEqual([78, expect.stringContaining('holds no bff.sqlite')]);
  expect(readdirSync(folder)).toEqual([]);
  expect((await copy({})).code).toBe(78);
  expect((await copy({ DATABASE_URL: url }, '--to', url)).code).toBe(2);
});

describe('storage copy', () => {
  let playground: Playground;
  let sink: JsonServer;
  let folder: string;
  /** Of the service on the embedded store. */
  let embedded: Environment;
  /** Of the service on the server, and of the command. */
  let onServer: Environment;
  beforeAll(async () => (playground = await openPlayground({ size: 20 })));
  beforeEach(async () => {
    sink = await startJsonServer(json({}));
    folder = newFolder();
    const target = await POSTGRESQL.open();
    embedded = serviceEnvironment(playground, {
      DATA_DIR: join(folder, 'data'),
      OPS_PORT: String(await freePort()),
      ...webhookSettings(WEBHOOK_SECRET, sink),
    });
    onServer = { ...embedded, ...target.settings };
  });

  const copy = (...argv: string[]) => runCommand(['storage', 'copy', ...argv], onServer);
  /** A copy as a process, which has begun to write. */
  const beginCopy = async (...options: string[]) => {
    const { args, nodeEnvironment } = builtProgram(...options);
    const env = { PATH: process.env['PATH'], ...nodeEnvironment, ...onServer };
    const child = spawn(process.execPath, [...args, 'storage', 'copy'], { env, stdio: 'ignore' });
    const exit = once(child, 'exit');
    await until(async () => (await query(INSERTING)).length > 0);
    return { child, exit };
  };
  /** The rows of a table on the server. */
  const query = async (sql: string): Promise<Json[]> => {
    const client = new pg.Client({ connectionString: onServer['DATABASE_URL'] });
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return rows;
  };
  const countOf = async (table: string): Promise<number> =>
    Number((await query(`SELECT count(*) AS n FROM ${table}`))[0].n);
  const changeSource = (sql: string): void => {
    const source = new DatabaseSync(join(embedded['DATA_DIR']!, 'bff.sqlite'));
    source.exec(sql);
    source.close();
  };
  const fill = async (records: number): Promise<void> => {
    const database = await openEmbedded(embedded['DATA_DIR']!, 'service');
    await migrate(database);
    const audit = new AuditStore(database);
    const record = (index: number): AuditRecord => ({
      time: index,
      requestId: `request ${index}`,
      action: 'made',
      outcome: 'ok',
      user: `user ${index % 7}`,
      reason: 'é\n"\u2028😀',
    });
    for (let from = 0; from < records; from += 2_000) {
      await audit.insert(Array.from({ length: Math.min(2_000, records - from) }, (_, i) => record(from + i)));
    }
    await database.close();
  };
  const send = async (service: Service, ...events: Json[]): Promise<void> =>
    expect((await sendWebhook(service.publicUrl, WEBHOOK_SECRET, events)).status).toBe(204);
  const deliveriesOf = (id: string) => sink.received.filter(({ headers }) => headers['webhook-id'] === id);

  test('moves a store that was used: lists, pending deliveries and known events are as before', async () => {
    const [delivered, dead, waiting] = [anEvent(), anEvent(), anEvent()] as [Json, Json, Json];
    const removed = anEvent({ type: 'RelationshipChanged' }) as Json;
    let service = await startSilently({ ...embedded, EVENT_SINK_RETRY_SECONDS: '1' });
    const stateOf = async ({ id }: Json) => (await get(service, `/events/${encodeURIComponent(id)}`)).state;
    for (const user of ['amelia', 'noah']) await runCommand(['memberships', 'add', user, HIRER], embedded);
    for (const user of ['amelia', 'noah', 'stranger']) {
      const asked = { hirerId: HIRER, scope: 'query:organizations' };
      await askToken({ url: service.publicUrl }, await playground.signIn(user), asked);
    }
    await send(service, delivered, removed);
    await until(async () => (await stateOf(delivered)) === 'delivered');
    sink.answer = json({}, 500);
    await send(service, dead);
    await until(async () => (await stateOf(dead)) === 'dead');
    await service.close();
    service = await startSilently({ ...embedded, EVENT_SINK_RETRY_SECONDS: '3600' });
    await send(service, waiting);
    await until(async () => (await stateOf(waiting)) === 'failed');
    await runCommand(['events', 'redeliver', '--state', 'delivered', '--type', removed.type], embedded);
    await until(async () => (await stateOf(removed)) === 'failed');
    const before = await viewsOf(service);
    await service.close();
    await runCommand(['events', 'redeliver', dead.id], embedded);

    const { code, out, err } = await copy();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('memberships: 2 rows\n');
    expect(out).toContain('events: 4 rows\n');

    service = await startSilently({ ...onServer, EVENT_SINK_RETRY_SECONDS: '3600' });
    const after = await viewsOf(service);
    expect(after.memberships).toEqual(before.memberships);
    expect(after.audit.slice(1)).toEqual(before.audit);
    expect(after.audit[0]).toMatchObject({ action: 'event.redeliver' });
    expect(after.ofHirer.slice(1)).toEqual(before.ofHirer);
    expect(after.events.map(({ id }: Json) => id)).toEqual(before.events.map(({ id }: Json) => id));
    await until(async () => (await stateOf(dead)) === 'failed');
    sink.answer = json({});
    const fresh = anEvent() as Json;
    await send(service, fresh); // delivered, so that what failed is due again
    for (const event of [fresh, dead, waiting, removed]) {
      await until(async () => (await stateOf(event)) === 'delivered');
    }
    expect(deliveriesOf(delivered.id)).toHaveLength(1);
    await send(service, delivered, waiting);
    expect(await query('SELECT id FROM events ORDER BY sequence')).toEqual([
      ...before.events.map(({ id }: Json) => ({ id })).reverse(),
      { id: fresh.id },
    ]);
  });

  test.each<[string, NodeJS.Signals, string[], unknown[]]>([
    ['killed', 'SIGKILL', [], [null, 'SIGKILL']],
    ['whose thread of the source dies', 'SIGUSR2', ['--import', ENDS_THREAD], [1, null]],
  ])('%s in the middle has written nothing, and is run again', async (_what, signal, options, ended) => {
    await fill(MANY_RECORDS);
    const { child, exit } = await beginCopy(...options);
    child.kill(signal);
    expect(await exit).toEqual(ended);
    await until(async () => (await query(INSERTING)).length === 0);
    expect(await countOf('audit')).toBe(0);
    expect(await copy()).toMatchObject({
      code: 0,
      out: expect.stringContaining('audit: 30000 rows') as string,
    });
    expect(await countOf('audit')).toBe(MANY_RECORDS);
  });

  test('is not ended by the server for a source that is slow to read', async () => {
    await fill(MANY_RECORDS);
    const { child, exit } = await beginCopy();
    child.kill('SIGSTOP');
    await until(async () => (await query(INSERTING)).length === 0 || (await query(LONG_IDLE)).length > 0);
    child.kill('SIGCONT');
    expect(await exit).toEqual([0, null]);
    expect(await countOf('audit')).toBe(MANY_RECORDS);
  });

  test('takes along every table', async () => {
    await fill(1);
    changeSource("INSERT INTO one_time_values VALUES ('key', 'value', 1)");
    expect((await copy()).out).toContain('one_time_values: 1 row\n');
    expect(await query('SELECT * FROM one_time_values')).toEqual([
      { key: 'key', value: 'value', expires_at: 1 },
    ]);
  });

  test('numbers on from the last number that was given out, above 32 bits too', async () => {
    await fill(1);
    changeSource("UPDATE sqlite_sequence SET seq = 5000000000 WHERE name = 'audit'");
    expect(await copy()).toMatchObject({ code: 0, err: '' });
    const [row] = await query(
      "INSERT INTO audit (time, action, outcome, request_id, record) VALUES (1, '', '', '', '{}') RETURNING sequence",
    );
    expect(row).toEqual({ sequence: 5_000_000_001 });
  });

  test('refuses a store in use, one of another version, and a target with data of another service', async () => {
    await fill(1);
    const service = await startSilently(embedded);
    const inUse = await copy();
    expect([inUse.code, inUse.err]).toEqual([78, expect.stringContaining('in use by another process')]);
    await service.close();

    changeSource("INSERT INTO migrations VALUES ('9999-future', 1, 1)");
    expect((await copy()).err).toContain('holds a store of another version');
    changeSource("DELETE FROM migrations WHERE name = '9999-future'");
    await runCommand(['memberships', 'add', 'amelia', HIRER], {
      ...onServer,
      OPS_PORT: String(await freePort()),
    });
    const taken = await copy();
    expect([taken.code, taken.err]).toEqual([78, expect.stringContaining('already holds data')]);
    expect(await countOf('memberships')).toBe(1);
  });
});
