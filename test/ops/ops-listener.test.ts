import { globSync, readFileSync } from 'node:fs';
import supertest from 'supertest';
import { startStack, type Stack } from '../support/start-stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

test('every ops controller is marked for the ops listener, or its routes could not be registered', () => {
  const files = globSync('src/**/*.ops.controller.ts');
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter((file) => !readFileSync(file, 'utf8').includes('\n@OpsController('))).toEqual([]);
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
  ['GET', '/conditions'],
  ['GET', '/dashboard/figures'],
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

describe('the dashboard, with an ops token', () => {
  const OPS_TOKEN = 'ops-token-of-this-suite';
  let guarded: Stack;
  beforeAll(async () => {
    guarded = await startStack({ OPS_TOKEN });
  });
  afterAll(() => guarded.close());

  test('the page may load nothing but its own files', async () => {
    const { headers } = await supertest(guarded.opsUrl).get('');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  test.each(['%2e%2e%2fops-token.js', 'index.htm', 'package.json'])(
    'no other file can be had: %s',
    async (name) => {
      expect((await supertest(guarded.opsUrl).get(`/dashboard/${name}`)).status).toBe(404);
    },
  );

  test('a page of another site is refused, even with the token', async () => {
    const headers = { authorization: `Bearer ${OPS_TOKEN}`, origin: 'https://evil.test' };
    expect((await supertest(guarded.opsUrl).get('/audit').set(headers)).status).toBe(403);
    const own = { ...headers, origin: guarded.opsUrl };
    expect((await supertest(guarded.opsUrl).get('/audit').set(own)).status).toBe(200);
  });
});
