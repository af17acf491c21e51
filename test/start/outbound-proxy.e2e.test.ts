import { writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import { makeCertificate } from '../../playground/src/http/certificate.js';
import { newFolder, portOf } from '../support/machine.js';
import { askToken, grant, openPlayground, serviceEnvironment } from '../support/start-stack.js';
import { startConnectProxy, type ConnectProxy } from '../support/raw-connection.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';

jest.setTimeout(120_000); // the service is built first

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const HOSTS = ['upstream.partner.test', 'issuer.partner.test'];
const PASSWORD = 'a-password/of:the@proxy';

describe('a service behind an outbound proxy', () => {
  let folder: string;
  const versions: string[] = [];
  let proxy: ConnectProxy;
  let playground: Playground;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = newFolder();
    const { cert, key } = await makeCertificate(HOSTS, Date.now());
    writeFileSync(join(folder, 'ca.pem'), cert);
    const origin = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      const token = {
        access_token: `a-token-of${request.url}`.replaceAll('/', '-'),
        expires_in: 1800,
        token_type: 'Bearer',
      };
      const isGraphql = request.url === '/graphql';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isGraphql ? { data: { version: '1' } } : token));
    });
    const port = await portOf(origin);
    proxy = await startConnectProxy(() => ({ port }));
    playground = await openPlayground({ size: 1 });
    const outbound = new URL(proxy.url);
    outbound.username = 'partner';
    outbound.password = encodeURIComponent(PASSWORD);
    const settings = serviceEnvironment(playground, {
      UPSTREAM_URL: `https://${HOSTS[0]}`,
      ISSUER_TOKEN_URL: `https://${HOSTS[1]}/oauth/token`,
      OUTBOUND_PROXY: outbound.href,
      LOG_LEVEL: 'debug',
    });
    service = await startProcess({ ...settings, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });
    await grant(service.opsUrl, { subject: 'amelia', hirerId: HIRER, roles: ['member'] });
  });

  test('gets tokens and answers through it, over HTTP/2, with TLS to the end', async () => {
    const user = await playground.signIn('amelia');
    const token = await askToken(service, user, { hirerId: HIRER, scope: 'query:organizations' });
    expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    const answer = await supertest(service.url).post('/graphql').send({ query: 'query { version }' });
    expect(answer.body).toEqual({ data: { version: '1' } });
    expect(new Set(versions)).toEqual(new Set(['2.0']));
  });

  test('tells the proxy who it is, and asks it for nothing on this machine', () => {
    const expected = `Basic ${Buffer.from(`partner:${PASSWORD}`).toString('base64')}`;
    expect(new Set(proxy.requests.map(({ authorization }) => authorization))).toEqual(new Set([expected]));
    const authorities = new Set(proxy.requests.map(({ authority }) => authority));
    expect([...authorities].sort()).toEqual(HOSTS.map((host) => `${host}:443`).sort());
  });

  test('keeps the password of the proxy out of its log', () => {
    expect(service.logText()).not.toContain(encodeURIComponent(PASSWORD).slice(0, 12));
    expect(service.logText()).not.toContain(PASSWORD.slice(0, 12));
  });
});
