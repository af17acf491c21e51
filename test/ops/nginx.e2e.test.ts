import supertest from 'supertest';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request, type Dispatcher } from 'undici';
import { freePort } from '../../bench/server-process.js';
import { makeTls } from '../../playground/src/tls/make-tls.js';
import { installed } from '../support/programs.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const NAME = 'bff.partner.example';
const SECRET = 'a-webhook-secret-of-this-suite';
const NGINX = installed('nginx');

test('the configuration names the port and the bounds of the service', () => {
  const conf = readFileSync('deploy/nginx/partner-bff.conf', 'utf8');
  expect(conf).toMatch(/server 127\.0\.0\.1:3000 max_conns=1000;/);
  expect(conf).toMatch(/client_max_body_size 1m;/);
});

for (const nginx of NGINX) {
  describe(`behind ${nginx} as deploy/nginx configures it`, () => {
    let stack: Stack;
    let folder: string;
    let server: ChildProcess;
    let origin: string;
    let agent: Agent;
    let token: string;

    beforeAll(async () => {
      stack = await startStack({
        TRUST_PROXY: '127.0.0.1',
        END_USER_COOKIE: 'session',
        WEBHOOK_SECRETS: SECRET,
      });
      token = await stack.playground.signIn('amelia');
      folder = mkdtempSync(join(tmpdir(), 'bff-nginx-'));
      chmodSync(folder, 0o711); // nginx started by root works as another user
      const port = await freePort();
      origin = `https://127.0.0.1:${port}`;
      const { cert, key } = await makeTls(true, NAME, Date.now());
      writeFileSync(join(folder, 'tls.crt'), cert);
      writeFileSync(join(folder, 'tls.key'), key);
      writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, new URL(stack.url).port));
      server = spawn(nginx, ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], { stdio: 'inherit' });
      agent = new Agent({ localAddress: '127.0.0.2', connect: { ca: cert, servername: NAME } });
      await until(() =>
        ask('GET', '/hirers').then(
          (answer) => answer.statusCode === 200,
          () => false,
        ),
      );
    });
    afterAll(async () => {
      await agent.destroy();
      server.kill('SIGQUIT');
      await once(server, 'exit');
      await stack.close();
      rmSync(folder, { recursive: true });
    });

    const ask = (
      method: Dispatcher.HttpMethod,
      path: string,
      headers: Record<string, string> = { authorization: `Bearer ${token}` },
      body?: string,
    ): Promise<Dispatcher.ResponseData> => {
      const sent = { host: NAME, 'content-type': 'application/json', ...headers };
      return request(origin + path, {
        method,
        headers: sent,
        dispatcher: agent,
        ...(body !== undefined && { body }),
      });
    };

    test("the caller's address is the one that nginx sees, whatever the caller says", async () => {
      const requestId = crypto.randomUUID();
      const forged = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': requestId };
      await (await ask('POST', '/auth/token', forged, '{}')).body.dump();
      const records = async () =>
        (await supertest(stack.opsUrl).get(`/audit?request=${requestId}`)).body.items as object[];
      await until(async () => (await records()).length > 0);
      expect(await records()).toMatchObject([{ address: '127.0.0.2' }]);
    });

    test('a cookie works from the own origin, which the service knows by Host, and from no other', async () => {
      const hirerId = stack.playground.demo.hirers[0]!.hirerId;
      const body = JSON.stringify({ hirerId, scope: 'query:organizations' });
      const from = (page: string) =>
        ask('POST', '/auth/token', { cookie: `session=${token}`, 'x-csrf': '1', origin: page }, body);
      expect((await from(`https://${NAME}`)).statusCode).toBe(200);
      expect((await from('https://evil.example')).statusCode).toBe(403);
    });

    test('a body as large as the service takes arrives, and a larger one does not', async () => {
      const authorization = `Bearer ${token}`;
      const sized = async (bytes: number): Promise<number> => {
        const answer = await ask('POST', '/auth/token', { authorization }, ' '.repeat(bytes));
        await answer.body.dump();
        return answer.statusCode;
      };
      expect(await sized(1_048_576)).toBe(400);
      expect(await sized(1_048_577)).toBe(413);
      expect(stack.logText()).not.toContain('"status":413');
    });

    test('an event reaches a stream as soon as its webhook came, through nginx too', async () => {
      const { statusCode, body } = await ask('GET', '/events/stream');
      expect(statusCode).toBe(200);
      const event = anEvent({ hirerId: stack.playground.demo.hirers[0]!.hirerId });
      await sendWebhook(stack.url, SECRET, [event]);
      let text = '';
      for await (const chunk of body) {
        text += String(chunk);
        if (text.includes(String(event['id']))) break;
      }
      expect(text).toContain(`id: ${String(event['id'])}\n`);
    });
  });
}

/** A whole configuration around the file, with its ports, certificate and folders. */
function configuration(folder: string, port: number, servicePort: string): string {
  const conf = readFileSync('deploy/nginx/partner-bff.conf', 'utf8')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:3000', `127.0.0.1:${servicePort}`)
    .replace(/ssl_certificate .*/, `ssl_certificate ${folder}/tls.crt;`)
    .replace(/ssl_certificate_key .*/, `ssl_certificate_key ${folder}/tls.key;`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  return `daemon off; pid ${folder}/pid; worker_processes 1;
events { worker_connections 256; }
http { access_log off; ${paths.join(' ')}
${conf} }`;
}
