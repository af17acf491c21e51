import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Playground } from '../../playground/src/playground.js';
import { json, startJsonServer } from '../support/json-server.js';
import { openRaw } from '../support/raw-connection.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { openPlayground, startStack } from '../support/start-stack.js';
import { BANKSIA, bearer, partnerToken, post } from './client.js';

/** Requests for this machine: what browsers, tools and containers of one's own send. `PORT` is the listener's. */
const OWN: [name: string, head: string][] = [
  ['localhost with the port', 'GET PATH HTTP/1.1\r\nHost: localhost:PORT'],
  ['localhost without a port', 'GET PATH HTTP/1.1\r\nHost: localhost'],
  ['a port of another process, through a forwarded one', 'GET PATH HTTP/1.1\r\nHost: localhost:1'],
  ['upper case', 'GET PATH HTTP/1.1\r\nHOST: LOCALHOST:PORT'],
  ['a name under localhost', 'GET PATH HTTP/1.1\r\nHost: bff.localhost:PORT'],
  ['127.0.0.1', 'GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT'],
  ['another loopback address', 'GET PATH HTTP/1.1\r\nHost: 127.200.3.255'],
  ['IPv6 loopback', 'GET PATH HTTP/1.1\r\nHost: [::1]:PORT'],
  ['a listed name', 'GET PATH HTTP/1.1\r\nHost: Playground.Internal:PORT'],
  ['a listed address', 'GET PATH HTTP/1.1\r\nHost: [fd00::1]'],
];
const FOREIGN: [name: string, head: string][] = [
  ['a name of a web page', 'GET PATH HTTP/1.1\r\nHost: rebound.attacker.example:PORT'],
  ['a name that ends like ours', 'GET PATH HTTP/1.1\r\nHost: notlocalhost'],
  ['a name that begins with an address', 'GET PATH HTTP/1.1\r\nHost: 127.0.0.1.attacker.example'],
  ['a name below a listed one', 'GET PATH HTTP/1.1\r\nHost: x.playground.internal'],
  ['a trailing dot', 'GET PATH HTTP/1.1\r\nHost: localhost.'],
  ['every address', 'GET PATH HTTP/1.1\r\nHost: 0.0.0.0:PORT'],
  ['a short address', 'GET PATH HTTP/1.1\r\nHost: 127.1'],
  ['IPv4 in IPv6', 'GET PATH HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:PORT'],
  ['an empty Host', 'GET PATH HTTP/1.1\r\nHost:'],
  ['a port that is none', 'GET PATH HTTP/1.1\r\nHost: localhost:80x'],
  ['a user', 'GET PATH HTTP/1.1\r\nHost: localhost@attacker.example'],
  ['two in one', 'GET PATH HTTP/1.1\r\nHost: localhost, attacker.example'],
  ['two headers, ours first', 'GET PATH HTTP/1.1\r\nHost: localhost\r\nHost: attacker.example'],
  ['none, in HTTP/1.0', 'GET PATH HTTP/1.0\r\nX-Forwarded-Host: localhost'],
  ['a target that names another host', 'GET http://attacker.examplePATH HTTP/1.1\r\nHost: localhost'],
  ['a target that names this host', 'GET http://localhostPATH HTTP/1.1\r\nHost: localhost'],
  [
    'a preflight',
    'OPTIONS PATH HTTP/1.1\r\nHost: attacker.example\r\nOrigin: http://attacker.example\r\nAccess-Control-Request-Method: POST',
  ],
  ['the server as a whole', 'OPTIONS * HTTP/1.1\r\nHost: attacker.example'],
  ['a method that the path does not take', 'DELETE PATH HTTP/1.1\r\nHost: attacker.example'],
];

/** The answer of a listener to the head of a request. */
async function answerTo(url: string, path: string, head: string, body = ''): Promise<string> {
  const text = head.replaceAll('PATH', path).replaceAll('PORT', new URL(url).port);
  const { closed, received } = await openRaw(url, `${text}\r\nConnection: close\r\n\r\n${body}`);
  await closed;
  return received();
}
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

let playground: Playground;
let service: ServiceProcess;
let ports: Record<string, { url: string; path: string }>;
beforeAll(async () => {
  playground = await openPlayground({ hosts: ['playground.internal', '[FD00::1]'] });
  service = await startProcess({
    PORT: '0',
    OPS_PORT: '0',
    PLAYGROUND_PORT: '0',
    PLAYGROUND_HOSTS: 'playground.internal [fd00::1]',
    DATA_DIR: mkdtempSync(join(tmpdir(), 'hosts-')),
    LOG_FORMAT: 'json',
  });
  const upstream = (await service.printed(/http:\S+(?=\/ {2}\(the emulated)/)).trim();
  ports = {
    'public listener': { url: service.url, path: '/' },
    'ops listener': { url: service.opsUrl, path: '/livez' },
    'upstream of the service’s playground': { url: upstream, path: '/playground/clock' },
    upstream: { url: playground.upstreamUrl, path: '/playground/clock' },
    issuer: { url: playground.issuerUrl, path: '/.well-known/jwks.json' },
  };
});

describe.each([
  'public listener',
  'ops listener',
  'upstream of the service’s playground',
  'upstream',
  'issuer',
])('the %s in playground mode', (name) => {
  test.each(OWN)('answers %s', async (_name, head) => {
    const { url, path } = ports[name]!;
    expect(statusOf(await answerTo(url, path, head))).toBe(200);
  });

  test.each(FOREIGN)('answers 421 to %s', async (_name, head) => {
    const { url, path } = ports[name]!;
    const answer = await answerTo(url, path, head);
    expect(answer).not.toMatch(/access-control-/i);
    expect(statusOf(answer)).toBe(421);
  });
});

describe('a request for another host', () => {
  const POST = (path: string, body: string): [string, string] => [
    `POST ${path} HTTP/1.1\r\nHost: attacker.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`,
    body,
  ];

  test('changes nothing, at playground and ops listener', async () => {
    await answerTo(playground.upstreamUrl, '/', ...POST('/playground/clock', '{"advanceDays":1}'));
    expect(playground.clock.skewedByMs).toBe(0);
    const path = `/memberships/mallory/${encodeURIComponent(BANKSIA)}`;
    const put = `PUT ${path} HTTP/1.1\r\nHost: attacker.example\r\nContent-Length: 0`;
    expect(statusOf(await answerTo(service.opsUrl, '/', put))).toBe(421);
    const memberships = await (await fetch(`${service.opsUrl}/memberships?user=mallory`)).json();
    expect(memberships).toEqual({ items: [], next: null });
  });

  test('is a problem outside /graphql, and a GraphQL error there', async () => {
    const problem = await answerTo(service.url, '/', ...POST('/auth/token', '{}'));
    expect(problem).toMatch(/application\/problem\+json[^]*"code":"misdirected_request"/);
    const error = await answerTo(service.url, '/', ...POST('/graphql', '{"query":"{ version }"}'));
    expect(statusOf(error)).toBe(421);
    expect(error).toMatch(/"extensions":\{"code":"MISDIRECTED_REQUEST","reason":"misdirected_request"/);
  });

  test('is answered where the service has a real upstream: its proxy decides about names', async () => {
    const stack = await startStack();
    const answer = await answerTo(stack.url, '/', ...POST('/graphql', '{"query":"{ version }"}'));
    expect(statusOf(answer)).toBe(200);
  });

  test('is refused in HTTP/2 by its :authority, and by a Host beside it', async () => {
    const secure = await openPlayground({ tls: true });
    const session = connectHttp2(secure.upstreamUrl, { ca: secure.certificate! });
    const ask = async (headers: Record<string, string>): Promise<number> => {
      const stream = session.request({ ':path': '/playground/clock', ...headers });
      const [head] = (await once(stream, 'response')) as [Record<string, number>];
      stream.resume();
      return head[':status']!;
    };
    const statuses = [
      await ask({}),
      await ask({ ':authority': 'localhost' }),
      await ask({ ':authority': 'attacker.example' }),
      await ask({ ':authority': 'localhost', host: 'attacker.example' }),
    ];
    session.destroy();
    expect(statuses).toEqual([200, 200, 421, 421]);
  });

  test.each(['http://localhost', 'localhost:3000', '*', 'a b', ''])(
    'cannot be let in as %j',
    async (name) => {
      await expect(openPlayground({ hosts: [name] })).rejects.toThrow(/^hosts: /);
    },
  );
});

describe('a web page of another origin', () => {
  const foreign = { Origin: 'https://attacker.example' };

  test('cannot read a token out of the page that shows GraphiQL', async () => {
    const url = `${playground.upstreamUrl}/graphql?as=partner`;
    const answer = await fetch(url, { headers: { ...foreign, Accept: 'text/html' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const own = await fetch(`${playground.upstreamUrl}/graphql`, {
      method: 'POST',
      headers: { ...foreign, 'Content-Type': 'application/json', ...bearer(partnerToken(playground)) },
      body: '{"query":"{ version }"}',
    });
    expect(own.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a webhook', () => {
  const subscribe = (url: string) =>
    post(`${playground.upstreamUrl}/playground/webhooks/subscriptions`, { url });

  test('goes to no listener of the playground, and to none that it is kept from, such as the ops listener', async () => {
    const ops = await startJsonServer(json({}));
    expect((await subscribe(ops.url.href)).status).toBe(200);
    playground.keepWebhooksFrom(ops.url.href);
    playground.events.emit('CandidateApplicationCreated');
    await playground.webhooks.settled();
    const [last] = playground.webhooks.requests.slice(-1);
    expect(last).toMatchObject({ outcome: 'InvalidUrl', latencyMs: null });
    for (const url of [ops.url.href, playground.upstreamUrl, playground.issuerUrl]) {
      expect((await subscribe(url)).status).toBe(400);
    }
  });

  test('in playground mode is kept from the ops listener', async () => {
    const { url } = ports['upstream of the service’s playground']!;
    const control = `${url}/playground/webhooks/subscriptions`;
    expect((await post(control, { url: `${service.opsUrl}/events/redeliver` })).status).toBe(400);
  });
});
