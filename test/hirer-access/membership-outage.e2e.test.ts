import supertest from 'supertest';
import { Database } from '../../src/storage/database.js';
import type { Answer } from '../support/ask-token.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { TEST_DATABASES } from '../support/test-database.js';
import { until } from '../support/until.js';

const HIRER = 'seek:org:acme';

/** A service whose store can be made to fail and to recover. */
interface Subject {
  readonly stack: Stack;
  fail(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

const STORES: readonly [string, () => Promise<Subject>][] = [
  [
    'a table is missing (SQLite)',
    async () => {
      const stack = await startStack();
      const database = stack.service.app.get(Database);
      return {
        stack,
        fail: async () => void (await database.query('ALTER TABLE memberships RENAME TO elsewhere')),
        recover: async () => void (await database.query('ALTER TABLE elsewhere RENAME TO memberships')),
        close: () => stack.close(),
      };
    },
  ],
  ...TEST_DATABASES.filter(({ name }) => name === 'PostgreSQL').map(
    ({ name, open }): [string, () => Promise<Subject>] => [
      `the server is gone (${name})`,
      async () => {
        const store = await open();
        const url = new URL(store.settings['DATABASE_URL']!);
        const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
        url.host = `127.0.0.1:${gate.port}`;
        const stack = await startStack({ DATABASE_URL: url.href });
        return {
          stack,
          fail: async () => gate.shut(),
          recover: async () => gate.open(),
          close: async () => {
            await stack.close();
            await gate.close();
            await store.drop();
          },
        };
      },
    ],
  ),
];

describe.each(STORES)('memberships while %s', (_name, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject.close());

  const ops = async (
    method: 'get' | 'put' | 'delete' | 'post',
    path: string,
    csv?: string,
  ): Promise<Answer> =>
    supertest(subject.stack.opsUrl)
      [method](path)
      .set({ 'x-ops-actor': 'anna', ...(csv !== undefined && { 'content-type': 'text/csv' }) })
      .send(csv);
  const CSV = `user,hirerId,roles\nzoe,${HIRER},member\nyan,${HIRER},member\n`;

  test('every route answers 503, and each change that failed has its audit record once the store is back', async () => {
    await subject.fail();
    const answers = {
      list: await ops('get', '/memberships'),
      grant: await ops('put', `/memberships/zoe/${HIRER}`),
      revoke: await ops('delete', `/memberships/zoe/${HIRER}`),
      import: await ops('post', '/memberships/import', CSV),
      dryRun: await ops('post', '/memberships/import?dryRun=true', CSV),
    };
    for (const { status, body, headers } of Object.values(answers)) {
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    }
    await subject.recover();
    const recordsOf = async (action: string) => (await ops('get', `/audit?action=${action}`)).body.items;
    await until(async () => (await ops('get', '/audit')).status === 200);
    expect((await recordsOf('membership.grant'))[0]).toMatchObject({
      outcome: 'unavailable',
      hirerId: HIRER,
    });
    expect(await recordsOf('membership.revoke')).toMatchObject([{ outcome: 'unavailable', hirerId: HIRER }]);
    expect(await recordsOf('membership.import')).toMatchObject([
      {
        outcome: 'unavailable',
        actor: 'anna',
        address: '127.0.0.1',
        subject: '2 rows',
        requestId: answers.import.headers['x-request-id'],
      },
    ]);
    expect((await ops('get', '/memberships?user=zoe')).body.items).toEqual([]);
  });
});
