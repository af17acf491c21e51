import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import supertest from 'supertest';
import { Webhook } from 'standardwebhooks';
import { folderOf } from '../support/machine.js';
import { type Json, startStack, type Stack } from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { until } from '../support/until.js';
import { anEvent, BANKSIA, sendWebhook, type SentEvent } from './send-webhook.js';

const SECRET = 'a-secret-of-these-webhooks';
const OBJECT_DELAY_MS = 800;
const NAMES = ['well', 'twin', 'plain', 'hanging', 'refusing'] as const;
type Name = (typeof NAMES)[number];
const WITH_OBJECTS: readonly Name[] = ['well', 'twin'];

const secrets = Object.fromEntries(
  NAMES.map((name) => [name, `whsec_${randomBytes(32).toString('base64')}`]),
) as Record<Name, string>;

let stack: Stack;
let servers: Record<Name, JsonServer>;

beforeAll(async () => {
  const opened = await Promise.all(
    NAMES.map(async (name) => [name, await startJsonServer(json({}))] as const),
  );
  servers = Object.fromEntries(opened) as typeof servers;
  servers.hanging.answer = () => undefined;
  servers.refusing.answer = json({}, 500);
  const sinks = NAMES.map((name) => ({
    name,
    url: servers[name].url.href,
    secret: secrets[name],
    objects: WITH_OBJECTS.includes(name),
    ...(name === 'refusing' && { retrySeconds: [0.1] }),
  }));
  const folder = folderOf({ 'sinks.json': JSON.stringify({ sinks }) });
  stack = await startStack({ WEBHOOK_SECRETS: SECRET, EVENT_SINKS_FILE: join(folder, 'sinks.json') });
});
afterEach(() => stack.playground.faults.clear());

function bodyAt(name: Name, { id }: SentEvent): Json {
  const found = servers[name].received.find(({ headers }) => headers['webhook-id'] === id);
  return found && JSON.parse(found.body);
}

test('an event reaches each sink, signed with its own secret; one that hangs or refuses holds up no other', async () => {
  const events = Array.from({ length: 30 }, () => anEvent({ type: 'SomethingNew', hirerId: BANKSIA }));
  await sendWebhook(stack.url, SECRET, events);
  await until(() => events.every((event) => bodyAt('well', event) && bodyAt('plain', event)));
  for (const name of ['well', 'twin', 'plain', 'refusing'] as const) {
    const [{ body, headers }] = servers[name].received as [JsonServer['received'][number]];
    expect(() => new Webhook(secrets[name]).verify(body, headers as Record<string, string>)).not.toThrow();
  }
  await until(async () => {
    const { text } = await supertest(stack.opsUrl).get('/metrics');
    expect(text).toMatch(/^bff_webhook_backlog\{state="pending",sink="hanging"\} 30$/m);
    return text.includes('bff_webhook_backlog{state="pending",sink="well"} 0\n');
  });
  expect(stack.logText()).not.toContain('whsec_');
});

test('an object is fetched once for each sink that wants it, and not for those that want none', async () => {
  const { id } = [...stack.playground.world.candidateProfiles.values()].find(
    (one) => one.hirerId === BANKSIA && one.positionProfileId !== null,
  )!;
  stack.playground.faults.add({ route: 'graphql', delayMs: OBJECT_DELAY_MS, times: 0 });
  const before = stack.playground.calls.list({ route: 'graphql' }).length;
  const event = anEvent({ hirerId: BANKSIA, candidateApplicationProfileId: id });
  await sendWebhook(stack.url, SECRET, [event]);
  await until(() => [...WITH_OBJECTS, 'plain' as const].every((name) => bodyAt(name, event)));
  for (const name of WITH_OBJECTS) {
    expect(bodyAt(name, event).data.object.candidateProfile).toBeDefined();
  }
  expect(bodyAt('plain', event).data).toEqual(event);
  expect(stack.playground.calls.list({ route: 'graphql' }).length - before).toBe(WITH_OBJECTS.length);
});
