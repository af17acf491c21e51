import supertest from 'supertest';
import { startStack, type Stack } from '../support/start-stack.js';

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
