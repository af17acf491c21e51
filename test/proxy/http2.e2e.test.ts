import { writeFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import supertest from 'supertest';
import { makeCertificate } from '../../playground/src/http/certificate.js';
import { newFolder, portOf } from '../support/machine.js';
import { type Answer, grant, openPlayground, serviceEnvironment } from '../support/start-stack.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { takeNothing } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { BANKSIA } from './proxy-stack.js';

const MB = 1_048_576;
const FILE_BYTES = 24 * MB;
const READERS = 6;

function* fileChunks(): Generator<Buffer> {
  const chunk = Buffer.alloc(MB, 'x');
  for (let left = FILE_BYTES; left > 0; left -= MB) yield chunk;
}

/** An upstream behind TLS, told by its HTTP/2 sessions, that holds every operation until it is released. */
class Upstream {
  readonly sessions: ServerHttp2Session[] = [];
  readonly operationSessions = new Set<unknown>();
  /** Attachments that are being sent. */
  sending = 0;
  /** HTTP versions of the operations, in the order of arrival. */
  readonly versions: string[] = [];
  readonly waiting: (() => void)[] = [];

  constructor(readonly server: Server) {}
}

let upstream: Upstream;
let service: ServiceProcess;
let token: string;
let authorization: string;

/** Opens the upstream, in place of one that was open before. */
async function openUpstream(http1Only: boolean, port = 0): Promise<void> {
  const handle = (
    request: Readable & {
      readonly url?: string | undefined;
      readonly httpVersion: string;
      readonly stream?: { readonly session?: unknown };
    },
    response: Writable & { setHeader(name: string, value: string): unknown },
  ): void => {
    request.resume();
    if (request.url?.startsWith('/x/attachments/')) {
      upstream.sending += 1;
      response.on('close', () => (upstream.sending -= 1));
      response.setHeader('content-length', String(FILE_BYTES));
      Readable.from(fileChunks())
        .on('error', () => undefined)
        .pipe(response);
      return;
    }
    if (request.url === '/auth/token') {
      response.end(JSON.stringify({ access_token: 'token', expires_in: 3600, token_type: 'Bearer' }));
      return;
    }
    upstream.versions.push(request.httpVersion);
    upstream.operationSessions.add(request.stream?.session);
    const candidateProfile = {
      associatedPositionProfile: { positionOrganizations: [{ id: { value: BANKSIA } }] },
      attachments: [{ url: link() }],
    };
    upstream.waiting.push(() => response.end(JSON.stringify({ data: { ok: true, candidateProfile } })));
  };
  const link = (): string => `https://127.0.0.1:${portOfUpstream()}/x/attachments/1`;
  const server = http1Only
    ? createServer(certificate, handle)
    : createSecureServer({ ...certificate, allowHTTP1: true }, handle);
  upstream = new Upstream(server);
  server.on('session', (session) => upstream.sessions.push(session));
  await portOf(server, port);
}

function closeUpstream(): Promise<unknown> {
  for (const session of upstream.sessions) session.destroy();
  return new Promise((resolve) => void upstream.server.close(resolve));
}

const portOfUpstream = (): number => (upstream.server.address() as AddressInfo).port;

let certificate: { readonly cert: string; readonly key: string };
beforeAll(async () => {
  certificate = await makeCertificate(['127.0.0.1'], Date.now());
  const authority = join(newFolder(), 'authority.pem');
  writeFileSync(authority, certificate.cert);
  await openUpstream(false);
  const playground = await openPlayground({ size: 1 });
  service = await startProcess({
    ...serviceEnvironment(playground, {
      UPSTREAM_URL: `https://127.0.0.1:${portOfUpstream()}`,
      RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    }),
    NODE_EXTRA_CA_CERTS: authority,
  });
  await grant(service.opsUrl, { subject: 'amelia', hirerId: BANKSIA, roles: ['member'] });
  token = await playground.signIn('amelia');
  authorization = `Bearer ${token}`;
});

const ask = async (body: object): Promise<Answer> =>
  supertest(service.url).post('/graphql').set({ authorization, 'x-hirer-id': BANKSIA }).send(body);
const askMany = (count: number, type: string): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask({ query: `${type} q${index} { ok }` })));
const waitingFor = (count: number): Promise<void> => until(() => upstream.waiting.length === count);
const release = (): void => upstream.waiting.splice(0).forEach((answer) => answer());
const statusesOf = (answers: readonly Answer[]): number[] => [
  ...new Set(answers.map(({ status }) => status)),
];

describe('an upstream with HTTP/2', () => {
  afterEach(() => {
    upstream.versions.length = 0;
    upstream.operationSessions.clear();
  });

  test('takes thirty operations at once on one connection', async () => {
    const answers = askMany(30, 'query');
    await waitingFor(30);
    release();
    expect(statusesOf(await answers)).toEqual([200]);
    expect([...new Set(upstream.versions)]).toEqual(['2.0']);
    expect(upstream.operationSessions.size).toBe(1);
  });

  test('that sends GOAWAY while operations are under way loses no query and repeats no mutation', async () => {
    const first = askMany(40, 'mutation');
    await waitingFor(40);
    expect(upstream.operationSessions.size).toBe(1);
    for (const session of upstream.sessions) session.close(); // GOAWAY; streams that are open may end
    const second = askMany(10, 'query');
    release();
    await until(() => upstream.versions.length === 50);
    release();
    expect(statusesOf([...(await first), ...(await second)])).toEqual([200]);
    expect(upstream.versions).toHaveLength(50);
    // A new connection at least: queries that come while one is being made can open another.
    expect(upstream.operationSessions.size).toBeGreaterThan(1);
  });

  test('sends attachments that are not read, which delay neither operations nor other attachments', async () => {
    const asked = ask({ documentId: 'Application', variables: { id: 'application' } });
    await waitingFor(1);
    release();
    const link: string = (await asked).body.data.candidateProfile.attachments[0].url;
    const taking = Array.from({ length: READERS - 1 }, () => takeNothing(service.url, link, token));
    const taken = await Promise.all(taking);
    expect(new Set(taken.map(({ status }) => status))).toEqual(new Set([200]));
    expect(upstream.sending).toBe(READERS - 1);
    const answers = askMany(30, 'query');
    await waitingFor(30);
    release();
    expect(statusesOf(await answers)).toEqual([200]);
    const read = await fetch(`${service.url}${link}`, { headers: { authorization } });
    expect((await read.arrayBuffer()).byteLength).toBe(FILE_BYTES);
    await until(() => upstream.sending === READERS - 1);
    for (const { socket } of taken) socket.destroy();
    await until(() => upstream.sending === 0);
  });
});

describe('an upstream without HTTP/2', () => {
  beforeAll(async () => {
    const port = portOfUpstream();
    await closeUpstream();
    await openUpstream(true, port);
  });

  test('is served with HTTP/1.1', async () => {
    const answers = askMany(5, 'query');
    await waitingFor(5);
    release();
    expect(statusesOf(await answers)).toEqual([200]);
    expect([...new Set(upstream.versions)]).toEqual(['1.1']);
  });
});
