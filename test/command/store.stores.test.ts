import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, freePort, serverOf } from '../support/machine.js';
import type { Json } from '../support/start-stack.js';
import { runCommand } from '../support/start-process.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';
import { get, HIRER, useStore } from './store-setup.js';

describe.each(testDatabases())('the store in $name', ({ open, isServer }) => {
  const store = useStore({ open, isServer });

  test('has its memberships changed beside a running service and while none runs', async () => {
    await store.bothWays(async (way) => {
      expect(await store.run('memberships', 'add', way, HIRER)).toBe(
        `${way} belongs to ${HIRER} as member.\n`,
      );
      const [one] = JSON.parse(await store.run('memberships', 'list', '--user', way, '--json')) as Json[];
      expect(one).toMatchObject({ user: way, hirerId: HIRER, roles: ['member'] });
      await store.run('memberships', 'remove', way, HIRER);
      expect((await store.try('memberships', 'list')).err).toBe('No memberships.\n');
      expect((await store.try('memberships', 'remove', way, HIRER)).code).toBe(1);
    });
  });

  test('gives out what it keeps of a user, and of nobody else, and erases it', async () => {
    await store.bothWays(async () => {
      for (const user of ['amelia', 'noah']) await store.run('memberships', 'add', user, HIRER);
      const document = JSON.parse(await store.run('users', 'export', 'amelia'));
      expect(document).toMatchObject({
        subject: 'amelia',
        issuer: store.environment['END_USER_ISSUER'],
        memberships: [{ hirerId: HIRER, roles: ['member'] }],
      });
      expect(document.audit.map(({ action }: Json) => action)).toEqual(['user.export', 'membership.grant']);
      expect(await store.run('users', 'erase', 'amelia')).toContain(
        '1 membership removed, 2 audit records unlinked',
      );
      const rest = JSON.parse(await store.run('users', 'export', 'amelia'));
      expect([rest.memberships, rest.audit.length]).toEqual([[], 1]);
      expect(JSON.parse(await store.run('users', 'export', 'noah')).memberships).toHaveLength(1);
      for (const user of ['amelia', 'noah']) await store.run('users', 'erase', user);
      expect(await store.run('users', 'erase', 'nobody')).toMatch(
        /^nobody of \S+ is not known: 0 memberships/,
      );
    });
    const service = await store.start();
    const { items } = await get(service, '/audit?action=user.erase');
    expect(items).toHaveLength(8);
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
      const { END_USER_JWKS_URL, ...others } = store.environment;
      expect(END_USER_JWKS_URL).toBeDefined();
      store.environment = { ...others, MACHINE_SUBJECTS: '', END_USER_ISSUER: Object.values(issuers).join() };
      const ofIssuer = (name: string): string[] => ['--issuer', issuers[name] as string];
      for (const name of [erased, left]) {
        await store.run('memberships', 'add', 'amelia', HIRER, ...ofIssuer(name));
      }
      await store.run('users', 'erase', 'amelia', ...ofIssuer(erased));
      const kept = JSON.parse(await store.run('users', 'export', 'amelia', ...ofIssuer(left)));
      const gone = JSON.parse(await store.run('users', 'export', 'amelia', ...ofIssuer(erased)));
      expect([kept.memberships.length, gone.memberships.length]).toEqual([1, 0]);
      expect(kept.audit.map(({ action }: Json) => action)).toEqual(['user.export', 'membership.grant']);
      expect(gone.audit.map(({ action }: Json) => action)).toEqual(['user.export']);
      const { code, err } = await store.try('users', 'erase', 'amelia', '--issuer', 'https://x.example');
      expect([code, err]).toEqual([1, expect.stringContaining('issuer: must be one of END_USER_ISSUER')]);
    },
  );

  test('erases a user for a running service at once: the token, the membership, the limits', async () => {
    const service = await store.start();
    await store.run('memberships', 'add', 'amelia', HIRER);
    const ask = () => store.askToken(service);
    const first = (await ask()).body;
    expect((await ask()).body.access_token).toBe(first.access_token);
    await store.run('users', 'erase', 'amelia');
    expect((await ask()).status).toBe(403);
    await store.run('memberships', 'add', 'amelia', HIRER);
    expect((await ask()).body.access_token).not.toBe(first.access_token);
    await service.close();
  });

  test('queues an event again while no service runs, once however often it is asked', async () => {
    let service = await store.start();
    const id = await store.deliverEvent(service);
    const deliveries = () => store.sink.received.filter(({ headers }) => headers['webhook-id'] === id);
    expect(deliveries()).toHaveLength(1);
    expect(await store.run('events', 'list', '--state', 'delivered')).toContain(
      `\tdelivered\tPositionProfileClosed\t${id}\t`,
    );
    await service.close();
    for (let time = 0; time < 3; time += 1) {
      expect(await store.run('events', 'redeliver', id)).toBe(`queued\tPositionProfileClosed\t${id}\n`);
    }
    expect(JSON.parse(await store.run('events', 'list', '--json'))).toMatchObject([{ id, state: 'pending' }]);
    expect(deliveries()).toHaveLength(1);
    service = await store.start();
    await until(async () => (await get(service, `/events/${id}`)).state === 'delivered');
    expect(deliveries().map(({ headers }) => headers['webhook-repeat'])).toEqual([undefined, 'operator']);
    await store.run('events', 'redeliver', '--state', 'delivered');
    await until(() => deliveries().length === 3);
    await service.close();
    expect((await store.try('events', 'redeliver', 'nothing')).code).toBe(1);
  });

  test('shows one event whole, beside a running service and while none runs', async () => {
    const service = await store.start();
    const id = await store.deliverEvent(service);
    const history = [{ outcome: 'delivered' }];
    const expected = { id, type: 'PositionProfileClosed', payload: { id }, history };
    expect(JSON.parse(await store.run('events', 'show', id))).toMatchObject(expected);
    await service.close();
    expect(JSON.parse(await store.run('events', 'show', id))).toMatchObject(expected);
    for (const word of ['show', 'redeliver']) {
      const err = 'There is no event nothing. "events list" prints the latest.\n';
      expect(await store.try('events', word, 'nothing')).toEqual({ code: 1, out: '', err });
    }
  });

  if (isServer) {
    test('leaves no token of an erased user in Redis, though no service runs', async () => {
      store.environment = { ...store.environment, REDIS_URL: serverOf('TEST_REDIS_URL') };
      const tokenOfAmelia = async (): Promise<string> => {
        await store.run('memberships', 'add', 'amelia', HIRER);
        const service = await store.start();
        const { body } = await store.askToken(service);
        await service.close();
        return body.access_token;
      };
      const token = await tokenOfAmelia();
      await store.run('users', 'erase', 'amelia');
      expect(await tokenOfAmelia()).not.toBe(token);
    });

    test('forgets the tokens of an erased user on every replica', async () => {
      const replica = await store.start({ OPS_PORT: '0' });
      const service = await store.start();
      await store.run('memberships', 'add', 'amelia', HIRER);
      const ask = () => store.askToken(replica);
      const first = (await ask()).body.access_token as string;
      await store.run('users', 'erase', 'amelia');
      await until(async () => (await ask()).status === 403);
      await store.run('memberships', 'add', 'amelia', HIRER);
      await until(async () => (await ask()).status === 200);
      expect((await ask()).body.access_token).not.toBe(first);
      await service.close();
      await replica.close();
    });
  } else {
    test('holds nothing of an erased user, in free space neither', async () => {
      await store.run('memberships', 'add', 'amelia-of-this-test', HIRER);
      const { user } = JSON.parse(await store.run('users', 'export', 'amelia-of-this-test'));
      const holds = (text: string): boolean =>
        readFileSync(join(store.environment['DATA_DIR']!, 'bff.sqlite')).includes(text);
      expect([holds('amelia-of-this-test'), holds(user)]).toEqual([true, true]);
      await store.run('users', 'erase', 'amelia-of-this-test');
      expect([holds('amelia-of-this-test'), holds(user)]).toEqual([false, false]);
    });

    test('of a service whose ops listener is elsewhere is in use: it is left alone, with exit code 78', async () => {
      const service = await store.start({ OPS_PORT: '0' });
      const { code, err } = await store.try('memberships', 'list');
      expect([code, err]).toEqual([78, expect.stringContaining('in use by another process')]);
      await service.close();
    });
  }
});

test('in playground mode, a store is not opened without its playground', async () => {
  const DATA_DIR = newFolder();
  const environment = { DATA_DIR, OPS_PORT: String(await freePort()) };
  const { code, err } = await runCommand(['memberships', 'list'], environment);
  expect([code, err]).toEqual([1, expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:\d+\./)]);
  expect(readdirSync(DATA_DIR)).toEqual([]);
});
