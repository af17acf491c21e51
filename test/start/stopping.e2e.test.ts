import supertest from 'supertest';
import type { AuditRecord } from '../../src/audit/audit-record.js';
import { AuditStore } from '../../src/audit/audit-store.js';
import type { Environment } from '../../src/config/load-config.js';
import type { Fault } from '../../playground/src/faults/fault.js';
import { Seal } from '../../src/storage/seal.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { newFolder } from '../support/machine.js';
import {
  askToken,
  type Answer,
  serviceEnvironment,
  startSilently,
  TEST_KEYS,
} from '../support/start-stack.js';
import { startJsonServer, webhookSettings } from '../support/json-server.js';
import { jsonHead, openRaw } from '../support/raw-connection.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { storedEvents } from '../support/stored.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { usePlayground } from '../playground/client.js';

const DELAY_MS = 200;
const TIMEOUT_MS = 1_500;
/** Of what hangs for ever nothing is waited for that others need. */
const SHORT = { SHUTDOWN_TIMEOUT_MS: '300' };
const LONGEST_MS = '60000';
/** The end came of itself, not by `LONGEST_MS`, on a slow machine too. */
const BOUND_MS = 30_000;
const SCOPE = 'query:organizations';
const SECRET = 'a-webhook-secret-of-32-bytes-000';

const playground = usePlayground();
let service: Pick<ServiceProcess, 'url' | 'opsUrl' | 'stop'>;
/** The service, where it is a process of its own. */
let child: ServiceProcess;
let dataDir: string;
let hirerId: string;
let token: string;

beforeAll(async () => {
  void playground.world;
  hirerId = playground.demo.hirers[0]!.hirerId;
  token = await playground.signIn('amelia');
});
beforeEach(() => {
  dataDir = newFolder();
});
afterEach(() => playground.faults.clear());

const settings = (overrides: Environment): Environment => ({
  ...serviceEnvironment(playground),
  DATA_DIR: dataDir,
  SHUTDOWN_DELAY_MS: String(DELAY_MS),
  SHUTDOWN_TIMEOUT_MS: String(TIMEOUT_MS),
  UPSTREAM_TIMEOUT_MS: LONGEST_MS,
  ...overrides,
});
const grant = (): Promise<unknown> =>
  supertest(service.opsUrl).put(`/memberships/amelia/${encodeURIComponent(hirerId)}`);

/** Starts the service in this process, where a stop is what the process does on SIGTERM. */
async function start(overrides: Environment = {}): Promise<void> {
  const running = await startSilently(settings(overrides));
  const stop = async (): Promise<number> => {
    await running.drain();
    await running.close();
    return 0;
  };
  service = { url: running.publicUrl, opsUrl: running.opsUrl, stop };
  await grant();
}

async function startChild(overrides: Environment = {}): Promise<void> {
  service = child = await startProcess(settings(overrides));
  await grant();
}

/** Stops the service; returns its exit code and how long that took. */
async function stop(...signals: NodeJS.Signals[]): Promise<{ code: number | null; ms: number }> {
  const startedAt = performance.now();
  const [first = 'SIGTERM', ...others] = signals;
  const ended = service.stop(first);
  if (others.length > 0) await child.printed(/"msg":"stopping"/);
  for (const signal of others) child.child.kill(signal);
  return { code: await ended, ms: performance.now() - startedAt };
}

async function endsInTime(...signals: NodeJS.Signals[]): Promise<void> {
  const { code, ms } = await stop(...signals);
  expect(code).toBe(0);
  expect(ms).toBeLessThan(BOUND_MS);
}

/** Resolves when a call has met the one fault that was planned: it is under way now. */
const faultIsMet = (): Promise<void> => until(() => playground.faults.list().length === 0);

const ask = (): Promise<Answer> => askToken(service, token, { hirerId, scope: SCOPE });

async function askGraphql(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return supertest(service.url)
    .post('/graphql')
    .set({ 'x-hirer-id': hirerId, ...bearer(), ...headers })
    .send(body);
}

/** What became of a request that a stop may cut. */
const outcomeOf = (asked: PromiseLike<Answer>): PromiseLike<unknown> =>
  asked.then(
    ({ status }) => status,
    () => 'cut',
  );

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** A sealed link to a file of the upstream, which will fail as planned. */
async function linkToAttachment(fault: Fault): Promise<string> {
  await ask();
  const { body } = await supertest(service.opsUrl).get('/audit?action=token');
  playground.faults.add({ route: 'attachments', ...fault });
  const claim = {
    path: '/anzPublicTest/applications/1/attachments/2',
    hirerId,
    userId: body.items[0].user,
    expiresAt: Date.now() + 60_000,
  };
  const seal = new Seal(() => [TEST_KEYS.SEALING_KEY], 'attachments');
  return `${service.url}/attachments/${seal.seal(JSON.stringify(claim), 'attachment').toString('base64url')}`;
}

/** The audit records of one action, in no order. */
async function recordsOf(action: string): Promise<readonly AuditRecord[]> {
  const database = new SqliteDatabase(dataDir);
  const { items } = await new AuditStore(database).list({ action }, 100);
  await database.close();
  return items;
}

describe('SIGTERM ends the process in time while', () => {
  test('nothing is under way', async () => {
    await startChild({ SHUTDOWN_TIMEOUT_MS: LONGEST_MS });
    expect((await ask()).status).toBe(200);
    await endsInTime();
    expect(child.logText()).not.toContain('"level":"error"');
    expect(child.logText()).toMatch(/"msg":"stopping"[^]*"msg":"stopped"/);
    expect(await recordsOf('token')).toHaveLength(1);
  });

  test.each(['graphql', 'oauth-token'] as const)('reconciliation hangs in a call to %s', async (route) => {
    playground.faults.add({ route, hang: true });
    await start({ EVENTS_SCHEME_ID: 'seekAnzPublicTest', ISSUER_TIMEOUT_MS: LONGEST_MS });
    await faultIsMet();
    expect((await askToken(service, undefined, {})).status).toBe(401);
    await endsInTime();
    expect(await recordsOf('token')).toHaveLength(1);
  });

  test('an event stream is open, which ends at once', async () => {
    await start({ WEBHOOK_SECRETS: SECRET, SHUTDOWN_TIMEOUT_MS: LONGEST_MS });
    const stream = await fetch(`${service.url}/events/stream`, { headers: bearer() });
    expect(stream.status).toBe(200);
    await endsInTime();
    expect(await stream.text()).toContain(': open');
  });

  test('a download that began before goes on to its end', async () => {
    await start();
    const link = await linkToAttachment({ body: 'x'.repeat(20), status: 200, dripMs: 40 });
    const download = await fetch(link, { headers: bearer() });
    expect(download.headers.get('connection')).not.toBe('close');
    await endsInTime();
    expect(await download.text()).toBe('x'.repeat(20));
    expect(await recordsOf('attachment')).toMatchObject([{ outcome: 'ok' }]);
  });

  test('the upstream hangs on a GraphQL call, whose request is recorded', async () => {
    await start(SHORT);
    playground.faults.add({ route: 'graphql', hang: true });
    const query = 'query Hirers { hiringOrganizations { edges { node { name } } } }';
    const settled = outcomeOf(askGraphql({ query }));
    await faultIsMet();
    await endsInTime();
    expect(await settled).toBe('cut');
    expect(await recordsOf('graphql')).toHaveLength(1);
  });

  test.each([
    ['its head', { hang: true }],
    ['its body', { body: 'x'.repeat(1_000), status: 200, dripMs: 30_000 }],
  ])('the upstream hangs on a download at %s, whose request is recorded', async (_part, fault) => {
    await start(SHORT);
    const link = await linkToAttachment(fault);
    const settled = outcomeOf(supertest(link).get('').set(bearer()));
    await faultIsMet();
    await endsInTime();
    expect(await settled).toBe('cut');
    expect(await recordsOf('attachment')).toHaveLength(1);
  });

  test('a caller never finishes its body, and others have their answers', async () => {
    await start();
    playground.faults.add({ route: 'auth-token', delayMs: 700 });
    const slow = await openRaw(service.url, `${jsonHead('POST', '/webhooks', 100)}{`);
    const answered = ask();
    await faultIsMet();
    await endsInTime();
    expect((await answered).status).toBe(200);
    await slow.closed;
    expect(await recordsOf('token')).toHaveLength(1);
  });

  test('a sink and a caller hang together, and the event and the audit records are kept', async () => {
    const sink = await startJsonServer(() => undefined);
    await start({ ...SHORT, ...webhookSettings(SECRET, sink), EVENT_SINK_TIMEOUT_MS: LONGEST_MS });
    expect((await sendWebhook(service.url, SECRET, [anEvent()])).status).toBe(204);
    await until(() => sink.received.length === 1);
    playground.faults.add({ route: 'auth-token', hang: true });
    const settled = outcomeOf(ask());
    await faultIsMet();
    for (let i = 0; i < 70; i += 1) await askToken(service, undefined, {}); // above 60 they are only counted
    await endsInTime();
    expect(await settled).toBe('cut');
    const records = await recordsOf('token');
    expect(records.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(71);
    const database = new SqliteDatabase(dataDir);
    expect(await storedEvents(database)).toMatchObject([{ state: 'pending' }]);
    await database.close();
  });
});

describe('signals', () => {
  test.each<[string, ...NodeJS.Signals[]]>([
    [String(DELAY_MS), 'SIGTERM', 'SIGTERM'], // the second changes nothing
    [LONGEST_MS, 'SIGTERM', 'SIGINT'],
    [LONGEST_MS, 'SIGTERM', 'SIGINT', 'SIGINT'],
  ])('in %s ms, %s, then %s: what is under way is answered and recorded', async (delay, ...signals) => {
    await startChild({ SHUTDOWN_DELAY_MS: delay, SHUTDOWN_TIMEOUT_MS: LONGEST_MS });
    playground.faults.add({ route: 'auth-token', delayMs: 700 });
    const answered = ask();
    await faultIsMet();
    await endsInTime(...signals);
    expect((await answered).status).toBe(200);
    expect(await recordsOf('token')).toHaveLength(1);
  });
});
