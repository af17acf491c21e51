import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { MembershipCache } from '../../src/hirer-access/membership-cache.js';
import { HttpMemberships } from '../../src/hirer-access/sources/http-memberships.js';
import { HttpClient } from '../../src/http/outgoing/http-client.js';
import type { CallReports } from '../../src/telemetry/conditions/call-condition.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { allScopes, anEndUser, CLIENT_SETTINGS, membershipAt } from '../support/parts.js';
import { endsByItself } from '../support/machine.js';
import { json, startJsonServer, type Answerer, type JsonServer } from '../support/json-server.js';

const ACME = 'seek:org:acme';
const SECRET = 'a secret of thirty-two bytes or more';
const MEMBER = { memberships: [{ hirerId: ACME, roles: ['member'] }] };
const ada = anEndUser('ada');

const clock = { ms: 1 };
let server: JsonServer;
let source: HttpMemberships;
let calls: CallReports;
let access: MembershipCache;

beforeEach(async () => {
  server = await startJsonServer(json(MEMBER));
  const client = new HttpClient('membership-service', server.url, CLIENT_SETTINGS, { connectionsMax: 2 });
  endsByItself(() => client.close());
  calls = new Conditions().calls('memberships-failing', 'service');
  source = new HttpMemberships(new URL('/memberships?tenant=1', server.url), client, () => SECRET, calls);
  access = new MembershipCache(source, allScopes, () => clock.ms);
});

const find = async () => membershipAt(access, ada, ACME);

test('the service is asked with issuer and subject, in a signed body', async () => {
  await find();
  const [asked] = server.received;
  expect(asked).toMatchObject({ method: 'POST', url: '/memberships?tenant=1' });
  expect(JSON.parse(asked!.body)).toEqual({ issuer: ada.issuer, subject: 'ada' });
  expect(asked!.headers['x-signature']).toBe(createHmac('sha256', SECRET).update(asked!.body).digest('hex'));
});

test('request and answer are those of docs/memberships.md', async () => {
  const bodies = readFileSync('docs/memberships.md', 'utf8').matchAll(/```http\n[^`]*\n\n(\{.*\})\n```/g);
  const [asked, answered] = [...bodies].map(([, body]) => JSON.parse(body!));
  server.answer = json(answered);
  const user = { ...ada, issuer: asked.issuer, subject: asked.subject };
  const [membership] = answered.memberships;
  await expect(membershipAt(access, user, membership.hirerId)).resolves.toMatchObject(membership);
  expect(JSON.parse(server.received[0]!.body)).toEqual(asked);
});

test('a failed call is retried, and only once', async () => {
  let failures = 1;
  server.answer = (received, response) =>
    failures-- > 0 ? response.destroy() : json(MEMBER)(received, response);
  await expect(find()).resolves.toMatchObject({ hirerId: ACME });
  expect(server.received).toHaveLength(2);
});

test.each([400, 401, 403, 404, 422])('a refusal with %i is not repeated', async (status) => {
  server.answer = json(MEMBER, status);
  await expect(find()).rejects.toMatchObject({ code: 'unavailable' });
  expect(server.received).toHaveLength(1);
});

const whole = JSON.stringify(MEMBER);
const FAULTS: readonly [string, Answerer][] = [
  ['a broken connection', (_r, response) => void response.destroy()],
  ['silence', () => undefined],
  ['a body that never ends', (_r, response) => void response.writeHead(200).write(whole.slice(0, 5))],
  ['a redirect', (_r, response) => void response.writeHead(307, { location: '/elsewhere' }).end(whole)],
  ['403', json(MEMBER, 403)],
  ['404', json(MEMBER, 404)],
  ['500 with a membership in it', json(MEMBER, 500)],
  ['201', json(MEMBER, 201)],
  ['204', (_r, response) => void response.writeHead(204).end()],
  ['HTML', (_r, response) => void response.end('<html>')],
  [
    'a compressed body',
    (_r, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(whole)),
  ],
  ['more than 512 kB', json({ ...MEMBER, filler: 'x'.repeat(524_288) })],
  ['null', json(null)],
  ['a list', json(MEMBER.memberships)],
  ['no memberships', json({})],
  ['memberships that are not a list', json({ memberships: { [ACME]: true } })],
  ['a membership without a hirer', json({ memberships: [...MEMBER.memberships, { roles: ['member'] }] })],
  ['roles that are not a list', json({ memberships: [{ hirerId: ACME, roles: 'admin' }] })],
  ['a role that is not a word', json({ memberships: [{ hirerId: ACME, roles: ['member admin'] }] })],
  ['a maximum age that is not a number', json({ ...MEMBER, maxAgeSeconds: 'long' })],
  ['a negative maximum age', json({ ...MEMBER, maxAgeSeconds: -1 })],
];

test.each(FAULTS)('%s is "unavailable": neither a membership nor a refusal', async (_title, answer) => {
  server.answer = answer;
  await expect(find()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  expect(server.received.length).toBeLessThanOrEqual(2);
});

test.each<[string, Answerer, string]>([
  ['silence', () => undefined, 'timeout'],
  ['a broken connection', (_r, response) => void response.destroy(), 'connection'],
  ['an answer that is wrong', json({}), 'the answer has no list of memberships'],
])('%s is named in the condition, once three calls failed', async (_title, answer, reason) => {
  server.answer = answer;
  const fail = () => expect(source.read(ada)).rejects.toThrow();
  await Promise.all([fail(), fail()]);
  expect(calls.fault).toBeUndefined();
  await fail();
  expect(calls.fault).toBe(`service: ${reason}`);
});

test.each([
  ['is reused for as long as the service says, when that is less', 10, 10_000],
  ['is reused for 30 s, when the service says more', 3_600, 30_000],
])('a membership %s', async (_title, maxAgeSeconds, stillMs) => {
  server.answer = json({ ...MEMBER, maxAgeSeconds });
  await find();
  clock.ms += stillMs;
  await find();
  expect(server.received).toHaveLength(1);
  clock.ms += 1;
  await find();
  expect(server.received).toHaveLength(2);
});

test('a membership that the service lets nobody reuse is asked for each time', async () => {
  server.answer = json({ ...MEMBER, maxAgeSeconds: 0 });
  await find();
  await find();
  expect(server.received).toHaveLength(2);
});
