import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import supertest from 'supertest';
import { Attachments } from '../../src/proxy/attachments/attachments.js';
import type { Answer } from '../support/start-stack.js';
import { takeNothing } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { NUSANTARA, startScriptedStack, type ProxyStack } from './proxy-stack.js';
import type { ScriptedUpstream } from '../support/scripted-upstream.js';

const MB = 1_048_576;
const FILE_BYTES = 40 * MB; // more than the kernel's buffers on both sides of the service hold
const READERS = 100;
const PER_USER = 6;
/** The first outlasts any test; two tests wait for the second to elapse. */
const [LONG_WINDOW_SECONDS, WINDOW_SECONDS] = [60, 2];

let stack: ProxyStack;
let upstream: ScriptedUpstream;
let sockets: Socket[];
/** Files that the upstream is sending, the number that it began, and the bytes of all. */
let sending: number;
let begun: number;
let sentBytes: number;

async function start(windowSeconds: number): Promise<void> {
  [sockets, sending, begun, sentBytes] = [[], 0, 0, 0];
  ({ upstream, stack } = await startScriptedStack({ UPSTREAM_TIMEOUT_MS: '3000' }));
  sendFiles();
  Object.assign(stack.service.app.get(Attachments), { windowMs: windowSeconds * 1_000 });
}

/** Makes the upstream answer operations with a link, and `/attachments/…` with a file as fast as it is read. */
function sendFiles(): void {
  const candidateProfile = {
    associatedPositionProfile: { positionOrganizations: [{ id: { value: NUSANTARA } }] },
    attachments: [{ url: `${upstream.url}/attachments/1` }],
  };
  upstream.script = () => JSON.stringify({ data: { candidateProfile } });
  upstream.sendFile = (_call, response) => {
    const chunk = Buffer.alloc(MB, 'x');
    let left = FILE_BYTES;
    [sending, begun] = [sending + 1, begun + 1];
    response.on('close', () => (sending -= 1));
    response.writeHead(200, { 'content-length': String(FILE_BYTES) });
    const pump = (): void => {
      while (left > 0) {
        left -= chunk.length;
        sentBytes += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', pump);
      }
      response.end();
    };
    pump();
  };
}

const headersOf = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  'x-hirer-id': NUSANTARA,
});
const ask = async (token: string, body: object): Promise<Answer> =>
  supertest(stack.url).post('/graphql').set(headersOf(token)).send(body);
const linkFor = async (token: string): Promise<string> =>
  (await ask(token, { documentId: 'Application', variables: { id: 'application' } })).body.data
    .candidateProfile.attachments[0].url;
const download = async (token: string, link: string): Promise<number> => {
  const response = await fetch(`${stack.url}${link}`, { headers: headersOf(token) });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length;
  return bytes;
};

const metric = async (name: string): Promise<number> => {
  const line = (await stack.metrics()).split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1) ?? 0);
};

let amelia: string;
let bayu: string;
let links: { readonly amelia: string; readonly bayu: string };

/** A member requests many files and reads none; resolves to the statuses of the answers. */
async function begin(windowSeconds: number): Promise<readonly number[]> {
  await start(windowSeconds);
  amelia = stack.amelia;
  bayu = await stack.playground.signIn('bayu');
  links = { amelia: await linkFor(amelia), bayu: await linkFor(bayu) };
  const taking = Array.from({ length: READERS }, () => takeNothing(stack.url, links.amelia, amelia));
  const taken = await Promise.all(taking);
  sockets = taken.map(({ socket }) => socket);
  return taken.map(({ status }) => status);
}

describe('one member who requests many files and reads none', () => {
  let statuses: readonly number[];
  beforeAll(async () => {
    statuses = await begin(LONG_WINDOW_SECONDS);
  });

  test('has six; the others are 429, without an upstream call', () => {
    expect(statuses.filter((status) => status === 200)).toHaveLength(PER_USER);
    expect(statuses.filter((status) => status === 429)).toHaveLength(READERS - PER_USER);
    expect(begun).toBe(PER_USER);
  });

  test('affects neither GraphQL nor files of another member', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ask(bayu, { query: `query q${n} { ok }` })),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    expect(await download(bayu, links.bayu)).toBe(FILE_BYTES);
  });

  test('gets Retry-After, and may continue once a download has ended', async () => {
    const refused = await supertest(stack.url).get(links.amelia).set(headersOf(amelia));
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    await until(() => sending === 0);
    await until(async () => (await download(amelia, links.amelia)) === FILE_BYTES);
  });
});

describe('in a short window', () => {
  test('one who reads nothing is cut, the upstream connection closes, and the metrics count it', async () => {
    await begin(WINDOW_SECONDS);
    expect(sending).toBeLessThanOrEqual(PER_USER);
    await until(() => sending === 0);
    const ended = (status: number) =>
      metric(
        `bff_http_request_duration_seconds_count{route="/attachments/:sealed",method="GET",status="${status}"}`,
      );
    // on a busy machine the first are cut before the last have come, who then have their places
    await until(async () => (await ended(499)) + (await ended(429)) === READERS);
    expect(await ended(499)).toBeGreaterThanOrEqual(PER_USER);
    await until(async () => (await download(amelia, links.amelia)) === FILE_BYTES);
  });

  test('a reader slower than the upstream, but within the bound, gets the whole file, which is not buffered', async () => {
    const warnings: Error[] = [];
    process.on('warning', (warning) => void warnings.push(warning)); // of Node, such as of listeners
    await start(WINDOW_SECONDS);
    const link = await linkFor(stack.amelia);
    const response = await fetch(`${stack.url}${link}`, { headers: headersOf(stack.amelia) });
    const startedAt = performance.now();
    let [received, heldMost] = [0, 0];
    for await (const chunk of response.body!) {
      received += (chunk as Uint8Array).length;
      heldMost = Math.max(heldMost, sentBytes - received);
      const dueMs = (received / FILE_BYTES) * 2 * WINDOW_SECONDS * 1_000; // twice the window for the whole
      await until(() => performance.now() - startedAt >= dueMs);
    }
    expect(received).toBe(FILE_BYTES);
    expect(heldMost).toBeLessThan(socketBytesMax() + 8 * MB);
    expect(warnings).toEqual([]);
  });
});

/** The most that the kernel lets the sockets of two connections hold, both ends: on Linux its settings say. */
function socketBytesMax(): number {
  const largest = (name: string): number => {
    const file = `/proc/sys/net/ipv4/${name}`;
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split(/\s+/)[2]) : 6 * MB;
  };
  return 2 * (largest('tcp_rmem') + largest('tcp_wmem'));
}
