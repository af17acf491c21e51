import supertest from 'supertest';
import type { Answer } from '../support/ask-token.js';
import { STORE_OUTAGES, type StoreOutage } from '../support/store-outage.js';
import { until } from '../support/until.js';

const HIRER = 'seek:org:acme';

describe.each(STORE_OUTAGES)('memberships while $name', ({ start }) => {
  let outage: StoreOutage;
  beforeAll(async () => {
    outage = await start();
  });
  afterAll(() => outage.close());

  const ops = async (
    method: 'get' | 'put' | 'delete' | 'post',
    path: string,
    csv?: string,
  ): Promise<Answer> =>
    supertest(outage.stack.opsUrl)
      [method](path)
      .set({ 'x-ops-actor': 'anna', ...(csv !== undefined && { 'content-type': 'text/csv' }) })
      .send(csv);
  const CSV = `user,hirerId,roles\nzoe,${HIRER},member\nyan,${HIRER},member\n`;

  test('every route answers 503, and each change that failed has its audit record once the store is back', async () => {
    await outage.begin();
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
    await outage.end();
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
