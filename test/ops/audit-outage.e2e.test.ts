import supertest from 'supertest';
import type { Stack } from '../support/start-stack.js';
import { STORE_OUTAGES } from '../support/store-outage.js';

/** Expects this status of the list and the export, and of a failure that it asks to retry. */
async function expectAudit(stack: Stack, status: 200 | 503): Promise<void> {
  for (const path of ['/audit', '/audit/export']) {
    const answer = await supertest(stack.opsUrl).get(path);
    expect([path, answer.status]).toEqual([path, status]);
    if (status === 200) continue;
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(answer.body.code).toBe('unavailable');
  }
}

test.each(STORE_OUTAGES)('while $name, the audit trail is unavailable, and only then', async ({ start }) => {
  const outage = await start();
  try {
    await expectAudit(outage.stack, 200);
    await outage.begin();
    await expectAudit(outage.stack, 503);
    await outage.end();
    await expectAudit(outage.stack, 200);
  } finally {
    await outage.close();
  }
});
