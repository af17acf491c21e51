import supertest from 'supertest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request, type Dispatcher } from 'undici';
import { endsByItself, newFolder, freePort, programOf } from '../support/machine.js';
import { makeTls } from '../../playground/src/http/certificate.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

const NAME = 'bff.partner.example';
const SECRET = 'a-webhook-secret-of-this-suite';

describe('behind nginx as deploy/nginx configures it', () => {
  let stack: Stack;
  let proxy: Proxy;
  let ask: Proxy['ask'];
  let token: string;

  beforeAll(async () => {
    const settings = { TRUST_PROXY: '127.0.0.1', END_USER_COOKIE: 'session' };
    stack = await startStack({ ...settings, WEBHOOK_SECRETS: SECRET });
    token = await stack.playground.signIn('amelia');
    proxy = await startProxy([stack.url]);
    ask = (method, path, headers = { authorization: `Bearer ${token}` }, body) =>
      proxy.ask(method, path, headers, body);
  });

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

  test('requests go to each of two instances, and none is lost with one of them', async () => {
    const instances = await Promise.all([startStack(), startStack()]);
    const both = await startProxy(instances.map(({ url }) => url));
    const post = async (): Promise<number> => {
      const answer = await both.ask('POST', '/auth/token', {}, '{}');
      await answer.body.dump();
      return answer.statusCode;
    };
    const refused = Array.from({ length: 20 }, () => 401);
    expect(await Promise.all(refused.map(post))).toEqual(refused);
    const served = (): boolean[] => instances.map(({ logText }) => logText().includes('"/auth/token"'));
    await until(() => served().every(Boolean));
    await instances[1].close();
    expect(await Promise.all(refused.map(post))).toEqual(refused);
  });
});

type Proxy = Awaited<ReturnType<typeof startProxy>>;

async function startProxy(instances: readonly string[]) {
  const folder = newFolder();
  chmodSync(folder, 0o711); // nginx started by root works as another user
  const port = await freePort();
  const { cert, key } = await makeTls(NAME, Date.now());
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, instances));
  const server = spawn(programOf('nginx'), ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], {
    stdio: 'inherit',
  });
  const agent = new Agent({ localAddress: '127.0.0.2', connect: { ca: cert, servername: NAME } });
  const ask = (
    method: Dispatcher.HttpMethod,
    path: string,
    headers?: Record<string, string>,
    body?: string,
  ) =>
    request(`https://127.0.0.1:${port}${path}`, {
      method,
      headers: { host: NAME, 'content-type': 'application/json', ...headers },
      dispatcher: agent,
      ...(body !== undefined && { body }),
    });
  await until(() =>
    ask('GET', '/hirers').then(
      ({ body }) => body.dump().then(() => true),
      () => false,
    ),
  );
  endsByItself(async () => {
    await agent.destroy();
    server.kill('SIGQUIT');
    await once(server, 'exit');
  });
  return { ask };
}

/** A whole configuration around the file, with its ports, certificate and folders. */
function configuration(folder: string, port: number, instances: readonly string[]): string {
  const [first, second] = instances.map((url) => new URL(url).host);
  const conf = readFileSync('deploy/nginx/partner-bff.conf', 'utf8')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen [::]:443', `listen [::1]:${port}`)
    .replace('127.0.0.1:3000', first!)
    .replace('# server 127.0.0.1:3001', second ? `server ${second}` : '$&')
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
