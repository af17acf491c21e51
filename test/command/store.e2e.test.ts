import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../bench/server-process.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { loadConfig, type Environment } from '../../src/config/load-config.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import { askToken, type Json } from '../support/ask-token.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { runCommand } from '../support/run-command.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const WEBHOOK_SECRET = 'a-webhook-secret-of-this-suite';
const SCOPE = 'query:organizations';

let playground: Playground;
let sink: JsonServer;
beforeAll(async () => {
  playground = await startPlayground({ port: 0, size: 20 });
  sink = await startJsonServer(json({}));
});
afterAll(async () => {
  await playground.close();
  await sink.close();
});

const start = (environment: Environment): Promise<Service> => {
  const config = loadConfig(environment);
  return startService(config, openLog({ ...config, LOG_LEVEL: 'silent' }, { write: () => undefined }));
};
const get = async (service: Service, path: string): Promise<Json> =>
  (await fetch(`${service.opsUrl}${path}`)).json();

describe.each(TEST_DATABASES)('the store in $name', ({ open, isServer }) => {
  let environment: Environment;
  let folder: string;
  let drop: () => Promise<void>;
  beforeEach(async () => {
    const database = await open();
    drop = () => database.drop();
    folder = mkdtempSync(join(tmpdir(), 'bff-command-'));
    environment = serviceEnvironment(playground, {
      ...(isServer ? database.settings : { DATA_DIR: join(folder, 'data') }),
      OPS_PORT: String(await freePort()),
      WEBHOOK_SECRETS: WEBHOOK_SECRET,
      EVENT_SINK_URL: sink.url.href,
      EVENT_SINK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    });
  });
  afterEach(async () => {
    await drop();
    rmSync(folder, { recursive: true });
  });

  const run = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await runCommand(argv, environment);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  };
  /** Runs the work while a service uses the store, and while none does. */
  const bothWays = async (work: (way: string) => Promise<void>): Promise<void> => {
    await work('at rest');
    const service = await start(environment);
    try {
      await work('running');
    } finally {
      await service.close();
    }
  };

  test('has its memberships changed beside a running service and while none runs', async () => {
    await bothWays(async (way) => {
      expect(await run('memberships', 'add', way, HIRER)).toBe(`${way} belongs to ${HIRER} as member.\n`);
      const [one] = JSON.parse(await run('memberships', 'list', '--user', way, '--json')) as Json[];
      expect(one).toMatchObject({ user: way, hirerId: HIRER, roles: ['member'] });
      await run('memberships', 'remove', way, HIRER);
      expect((await runCommand(['memberships', 'list'], environment)).err).toBe('No memberships.\n');
    });
  });

  test('gives out what it keeps of a user, and of nobody else, and erases it', async () => {
    await bothWays(async () => {
      for (const user of ['amelia', 'noah']) await run('memberships', 'add', user, HIRER);
      const document = JSON.parse(await run('users', 'export', 'amelia'));
      expect(document).toMatchObject({
        subject: 'amelia',
        issuer: environment['END_USER_ISSUER'],
        memberships: [{ hirerId: HIRER, roles: ['member'] }],
      });
      expect(document.audit.map(({ action }: Json) => action)).toEqual(['user.export', 'membership.grant']);
      expect(await run('users', 'erase', 'amelia')).toContain(
        '1 memberships removed, 2 audit records unlinked',
      );
      const rest = JSON.parse(await run('users', 'export', 'amelia'));
      expect([rest.memberships, rest.audit.length]).toEqual([[], 1]);
      expect(JSON.parse(await run('users', 'export', 'noah')).memberships).toHaveLength(1);
      for (const user of ['amelia', 'noah']) await run('users', 'erase', user);
    });
    const service = await start(environment);
    const { items } = await get(service, '/audit?action=user.erase');
    expect(items).toHaveLength(6);
    expect(items[0]).toMatchObject({ outcome: 'ok', address: '127.0.0.1' });
    expect(items.at(-1)).toMatchObject({ outcome: 'ok', address: 'process' });
    const all = JSON.stringify((await get(service, '/audit')).items);
    const { user } = await get(service, '/users?subject=amelia');
    expect(all).toContain('membership.grant');
    expect(all).not.toContain(user);
    await service.close();
  });

  test.each([
    ['the first', 'the second'],
    ['the second', 'the first'],
  ])(
    'of two users with one subject, erases that of %s issuer and leaves that of %s',
    async (erased, left) => {
      const issuers = { 'the first': 'https://one.example', 'the second': 'https://two.example' } as Json;
      const { END_USER_JWKS_URL, ...others } = environment;
      expect(END_USER_JWKS_URL).toBeDefined();
      environment = { ...others, MACHINE_SUBJECTS: '', END_USER_ISSUER: Object.values(issuers).join() };
      const ofIssuer = (name: string): string[] => ['--issuer', issuers[name] as string];
      for (const name of [erased, left]) await run('memberships', 'add', 'amelia', HIRER, ...ofIssuer(name));
      await run('users', 'erase', 'amelia', ...ofIssuer(erased));
      const kept = JSON.parse(await run('users', 'export', 'amelia', ...ofIssuer(left)));
      const gone = JSON.parse(await run('users', 'export', 'amelia', ...ofIssuer(erased)));
      expect([kept.memberships.length, gone.memberships.length]).toEqual([1, 0]);
      expect(kept.audit.map(({ action }: Json) => action)).toEqual(['user.export', 'membership.grant']);
      expect(gone.audit.map(({ action }: Json) => action)).toEqual(['user.export']);
      const { code, err } = await runCommand(
        ['users', 'erase', 'amelia', '--issuer', 'https://x.example'],
        environment,
      );
      expect([code, err]).toEqual([1, expect.stringContaining('issuer: must be one of END_USER_ISSUER')]);
    },
  );

  test('erases a user for a running service at once: the token, the membership, the limits', async () => {
    const service = await start(environment);
    await run('memberships', 'add', 'amelia', HIRER);
    const ask = async () =>
      askToken({ url: service.publicUrl }, await playground.signIn('amelia'), {
        hirerId: HIRER,
        scope: SCOPE,
      });
    const first = (await ask()).body;
    expect((await ask()).body.access_token).toBe(first.access_token);
    await run('users', 'erase', 'amelia');
    expect((await ask()).status).toBe(403);
    await run('memberships', 'add', 'amelia', HIRER);
    expect((await ask()).body.access_token).not.toBe(first.access_token);
    await service.close();
  });

  test('queues an event again while no service runs, once however often it is asked', async () => {
    let service = await start(environment);
    playground.subscribe({ url: `${service.publicUrl}/webhooks`, secret: WEBHOOK_SECRET });
    const { id } = playground.events.emit('PositionProfileClosed');
    const deliveries = () => sink.received.filter(({ headers }) => headers['webhook-id'] === id);
    await until(() => deliveries().length === 1);
    await until(async () => (await get(service, `/events/${id}`)).state === 'delivered');
    expect(await run('events', 'list', '--state', 'delivered')).toContain(
      `\tdelivered\tPositionProfileClosed\t${id}\t`,
    );
    await service.close();
    for (let time = 0; time < 3; time += 1) {
      expect(await run('events', 'redeliver', id)).toBe(`queued\tPositionProfileClosed\t${id}\n`);
    }
    expect(JSON.parse(await run('events', 'list', '--json'))).toMatchObject([{ id, state: 'pending' }]);
    expect(deliveries()).toHaveLength(1);
    service = await start(environment);
    await until(async () => (await get(service, `/events/${id}`)).state === 'delivered');
    expect(deliveries().map(({ headers }) => headers['webhook-repeat'])).toEqual([undefined, 'operator']);
    await run('events', 'redeliver', '--state', 'delivered');
    await until(() => deliveries().length === 3);
    await service.close();
    expect((await runCommand(['events', 'redeliver', 'nothing'], environment)).code).toBe(1);
  });

  test('queues an event again for one of several sinks while no service runs', async () => {
    const secret = environment['EVENT_SINK_SECRET']!;
    const sinks = ['one', 'two'].map((name) => ({ name, url: `${sink.url.href}${name}`, secret }));
    const file = join(folder, 'sinks.json');
    writeFileSync(file, JSON.stringify({ sinks }));
    const { EVENT_SINK_URL, EVENT_SINK_SECRET, ...others } = environment;
    expect([EVENT_SINK_URL, EVENT_SINK_SECRET]).not.toContain(undefined);
    environment = { ...others, EVENT_SINKS_FILE: file };
    let service = await start(environment);
    playground.subscribe({ url: `${service.publicUrl}/webhooks`, secret: WEBHOOK_SECRET });
    const { id } = playground.events.emit('PositionProfileClosed');
    const places = (): string[] =>
      sink.received.flatMap(({ headers, url }) => (headers['webhook-id'] === id ? [url] : []));
    await until(() => places().length === 2);
    await until(async () => (await get(service, `/events/${id}`)).state === 'delivered');
    await service.close();
    await run('events', 'redeliver', id, '--sink', 'two');
    expect((await runCommand(['events', 'redeliver', id, '--sink', 'three'], environment)).code).toBe(1);
    service = await start(environment);
    await until(() => places().length === 3);
    await until(async () => (await get(service, `/events/${id}`)).state === 'delivered');
    expect(places().filter((place) => place === '/one')).toHaveLength(1);
    expect(places().filter((place) => place === '/two')).toHaveLength(2);
    await service.close();
  });

  if (isServer) {
    test('is not backed up: the tool of the server is named, and the exit code is not 0', async () => {
      const { code, out, err } = await runCommand(['backup', join(folder, 'copy')], environment);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/PostgreSQL.*pg_dump --format=custom --file=\S*copy "\$DATABASE_URL"/);
    });

    test('forgets the tokens of an erased user on every replica', async () => {
      const replica = await start({ ...environment, OPS_PORT: '0' });
      const service = await start(environment);
      await run('memberships', 'add', 'amelia', HIRER);
      const ask = async () =>
        askToken({ url: replica.publicUrl }, await playground.signIn('amelia'), {
          hirerId: HIRER,
          scope: SCOPE,
        });
      const first = (await ask()).body.access_token as string;
      await run('users', 'erase', 'amelia');
      await until(async () => (await ask()).status === 403);
      await run('memberships', 'add', 'amelia', HIRER);
      await until(async () => (await ask()).status === 200);
      expect((await ask()).body.access_token).not.toBe(first);
      await service.close();
      await replica.close();
    });
  } else {
    test('is backed up in a new file, beside a running service and while none runs, and restored by it', async () => {
      await bothWays(async (way) => {
        const copy = join(folder, `${way}.copy`);
        await run('memberships', 'add', way, HIRER);
        expect(await run('backup', copy)).toMatch(/^.*\.copy: \d{5,} bytes, of this moment\.\n$/);
        expect(statSync(copy).mode & 0o777).toBe(0o600);
        const before = readFileSync(copy);
        const { code, err } = await runCommand(['backup', copy], environment);
        expect([code, err]).toEqual([1, expect.stringContaining('exists, and is left as it is')]);
        expect(readFileSync(copy).equals(before)).toBe(true);
        await run('memberships', 'remove', way, HIRER);
        const restored = join(folder, `${way} restored`);
        await mkdir(restored);
        await cp(copy, join(restored, 'bff.sqlite'));
        const other = { ...environment, DATA_DIR: restored, OPS_PORT: String(await freePort()) };
        expect((await runCommand(['memberships', 'list'], other)).out).toContain(
          `${way}\t${HIRER}\tmember\t`,
        );
      });
      expect(await readdir(environment['DATA_DIR']!)).toEqual(['bff.sqlite']);
    });

    test('holds nothing of an erased user, in free space neither', async () => {
      await run('memberships', 'add', 'amelia-of-this-test', HIRER);
      const { user } = JSON.parse(await run('users', 'export', 'amelia-of-this-test'));
      const holds = (text: string): boolean =>
        readFileSync(join(environment['DATA_DIR']!, 'bff.sqlite')).includes(text);
      expect([holds('amelia-of-this-test'), holds(user)]).toEqual([true, true]);
      await run('users', 'erase', 'amelia-of-this-test');
      expect([holds('amelia-of-this-test'), holds(user)]).toEqual([false, false]);
    });

    test('is copied past a file that somebody put where the copy may be made, and readable by its owner alone', async () => {
      const copy = join(folder, 'copy');
      writeFileSync(`${copy}.partial`, 'of somebody', { mode: 0o644 });
      await run('backup', copy);
      expect(readFileSync(`${copy}.partial`, 'utf8')).toBe('of somebody');
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      expect((await readdir(folder)).sort()).toEqual(['copy', 'copy.partial', 'data']);
    });

    test('of a service whose ops listener is elsewhere is in use: it is left alone, with exit code 78', async () => {
      const service = await start({ ...environment, OPS_PORT: '0' });
      const { code, err } = await runCommand(['memberships', 'list'], environment);
      expect([code, err]).toEqual([78, expect.stringContaining('in use by another process')]);
      await service.close();
    });
  }
});

test('in playground mode, a store is not opened without its playground', async () => {
  const { code, err } = await runCommand(['memberships', 'list'], { OPS_PORT: String(await freePort()) });
  expect([code, err]).toEqual([1, expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:\d+\./)]);
  expect(existsSync('data/bff.sqlite')).toBe(false);
});
