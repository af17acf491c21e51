import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import type { Service } from '../../src/service.js';
import { json, startJsonServer } from '../support/json-server.js';
import { openRaw } from '../support/raw-connection.js';
import { openPlayground, startPlaygroundMode, startStack } from '../support/start-stack.js';
import { BANKSIA, bearer, partnerToken, post, usePlayground } from './client.js';

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

const playground = usePlayground({ hosts: ['playground.internal', '[FD00::1]'] });
let service: Service;
let ports: Record<string, { url: string; path: string; status?: number }>;
beforeAll(async () => {
  const started = await startPlaygroundMode({ PLAYGROUND_HOSTS: 'playground.internal [fd00::1]' });
  service = started.service;
  ports = {
    'public listener': { url: service.publicUrl, path: '/hirers', status: 401 },
    'ops listener': { url: service.opsUrl, path: '/livez' },
    'upstream of the service’s playground': {
      url: started.playground.upstreamUrl,
      path: '/playground/clock',
    },
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
  const answersTo = async (heads: typeof OWN): Promise<string[]> => {
    const { url, path } = ports[name]!;
    return Promise.all(heads.map(([, head]) => answerTo(url, path, head)));
  };
  const statuses = (heads: typeof OWN, answers: readonly string[]): string[] =>
    heads.map(([head], index) => `${statusOf(answers[index]!)} to ${head}`);

  test('answers what names this machine', async () => {
    const { status: expected = 200 } = ports[name]!;
    expect(statuses(OWN, await answersTo(OWN))).toEqual(OWN.map(([head]) => `${expected} to ${head}`));
  });

  test('answers 421 to what names another host, and no page may read that', async () => {
    const answers = await answersTo(FOREIGN);
    expect(answers.filter((answer) => /access-control-/i.test(answer))).toEqual([]);
    expect(statuses(FOREIGN, answers)).toEqual(FOREIGN.map(([head]) => `421 to ${head}`));
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
    const problem = await answerTo(service.publicUrl, '/', ...POST('/auth/token', '{}'));
    expect(problem).toMatch(/application\/problem\+json[^]*"code":"misdirected_request"/);
    const error = await answerTo(service.publicUrl, '/', ...POST('/graphql', '{"query":"{ version }"}'));
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
    const headers = { ...foreign, ...bearer(partnerToken(playground)) };
    const own = await post(`${playground.upstreamUrl}/graphql`, { query: '{ version }' }, headers);
    expect(own.headers['access-control-allow-origin']).toBe('*');
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
