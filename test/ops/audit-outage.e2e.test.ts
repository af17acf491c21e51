import supertest from 'supertest';
import { Database } from '../../src/storage/database.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { TEST_DATABASES } from '../support/test-database.js';

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

test('while the embedded database fails, the audit trail is unavailable, and only then', async () => {
  const stack = await startStack();
  const database = stack.service.app.get(Database);
  await database.query('ALTER TABLE audit RENAME TO audit_elsewhere');
  await expectAudit(stack, 503);
  await database.query('ALTER TABLE audit_elsewhere RENAME TO audit');
  await expectAudit(stack, 200);
  await stack.close();
});

for (const { open } of TEST_DATABASES.filter(({ name }) => name === 'PostgreSQL')) {
  test('while PostgreSQL is gone, the audit trail is unavailable, and only then', async () => {
    const database = await open();
    const url = new URL(database.settings['DATABASE_URL']!);
    const gate = await openTcpGate(Number(url.port || 5432), url.hostname);
    url.host = `127.0.0.1:${gate.port}`;
    const stack = await startStack({ DATABASE_URL: url.href });
    gate.shut();
    await expectAudit(stack, 503);
    gate.open();
    await expectAudit(stack, 200);
    await stack.close();
    await gate.close();
    await database.drop();
  });
}
