import type { FactoryProvider } from '@nestjs/common';
import supertest from 'supertest';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { OpsAppModule } from '../../src/ops-app.module.js';
import { DashboardFeed } from '../../src/ops/dashboard/dashboard-feed.js';
import { SecretRotation } from '../../src/ops/secret-rotation.js';
import { startStack, type Stack } from '../support/start-stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

test('what the ops application borrows is started and stopped by its owner only', () => {
  const lent = (OpsAppModule.over(stack.service.app).providers as FactoryProvider<object>[]).map(
    ({ useFactory }) => useFactory() as object & { onApplicationShutdown?: unknown },
  );
  for (const type of [AuditTrail, SecretRotation, DashboardFeed]) {
    const [one] = lent.filter((instance) => instance instanceof type);
    expect(one?.onApplicationShutdown).toBeUndefined();
    expect(stack.service.app.get(type).onApplicationShutdown).toBeInstanceOf(Function);
  }
});

test.each([
  ['GET', '/metrics'],
  ['GET', '/readyz'],
  ['GET', '/livez'],
  ['GET', '/audit'],
  ['GET', '/audit/export'],
  ['GET', '/events'],
  ['GET', '/memberships'],
  ['GET', '/log-level'],
  ['GET', '/dashboard/feed'],
  ['GET', '/dashboard/main.js'],
  ['PUT', '/log-level'],
  ['POST', '/secrets/reload'],
  ['POST', '/end-user-keys/reload'],
])('%s %s is on the ops listener, and nothing of it on the public one', async (method, path) => {
  const verb = method.toLowerCase() as 'get' | 'post' | 'put';
  const { status, body } = await supertest(stack.url)[verb](path);
  expect([status, body.code]).toEqual([404, 'not_found']);
  const ops = await fetch(`${stack.opsUrl}${path}`, { method });
  expect(ops.status).not.toBe(404);
  await ops.body?.cancel();
});
