import { setTimeout as delay } from 'node:timers/promises';
import { anEvent, signWebhook, webhookBody } from '../../webhooks/send-webhook.js';
import { calls } from './call-judge.js';
import { count, searchAnswer, type Actor, type DrillContext } from './context.js';
import { keepLink } from './graphql-operations.js';
import { now, type Span } from './memberships.js';
import { WEBHOOK_SECRET } from './stack.js';
import type { DrillObject } from './world.js';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const DELIVERY_MS_MAX = 180_000; // for a busy machine
const REPEAT_AFTER_MS = 250;
const REPEATS_MAX = 40;
const FOREIGN_SHARE = 0.3;
/** Of one who knows no secret: must be refused, and cause no call. */
const FORGED_SHARE = 0.1;

/** An event of a hirer that names an object, mostly its own: what is delivered with it, and that it is delivered. */
export async function deliverEvent(context: DrillContext, drawn: Actor): Promise<void> {
  const { world, ledger, sink, report } = context;
  const { hirer, random, step } = drawn;
  const actor = { ...drawn, user: world.machines[0]! };
  const object = random.pick((random.chance(FOREIGN_SHARE) ? random.pick(world.hirers) : hirer).objects);
  const nonce = `event ${step}`;
  const members = { type: 'ObjectChanged', hirerId: hirer.hirerId, objectId: object.id, nonce };
  const event = anEvent(members);
  const isForged = random.chance(FORGED_SHARE);
  const begun = ledger.begin({
    step,
    user: actor.user,
    hirer,
    text: `event of ${object.id}`,
    announces: isForged ? [] : [calls.partner('EventObject', object.id, nonce)],
    recurs: true,
  });
  const judge = (text: string): void =>
    isForged
      ? report(`step ${step}: a forged event was delivered`, actor.user, hirer)
      : judgeDelivery(context, actor, object, text, { ...begun.span, end: now() });
  const delivery = sink.deliveryOf(String(event['id']), judge, isForged ? 0 : DELIVERY_MS_MAX);
  const status = isForged
    ? await send(context, actor, event, 'another-secret-of-webhooks')
    : await sendUntilTaken(context, actor, event);
  const isDelivered = await delivery;
  ledger.end(begun, `answered ${status}, ${isDelivered ? '' : 'not '}delivered`);
  if (isForged) {
    if (status === 204) report(`step ${step}: a forged event was taken`, actor.user, hirer);
    return count(context.outcomes, 'event refused');
  }
  if (!isDelivered) {
    if (status === 204) report(`step ${step}: an event was not delivered`, actor.user, hirer);
    count(context.outcomes, 'event failed');
  }
}

/** The upstream repeats what is not answered with 204, as while a replica starts again. */
async function sendUntilTaken(
  context: DrillContext,
  actor: Actor,
  event: object,
): Promise<number | undefined> {
  let status = await send(context, actor, event, WEBHOOK_SECRET);
  for (let repeats = 0; status !== 204 && repeats < REPEATS_MAX; repeats += 1) {
    await delay(REPEAT_AFTER_MS);
    status = await send(context, actor, event, WEBHOOK_SECRET);
  }
  return status;
}

async function send(
  { client, stack }: DrillContext,
  { random }: Actor,
  event: object,
  secret: string,
): Promise<number | undefined> {
  const body = webhookBody([event]);
  const reply = await client.send({
    method: 'POST',
    origin: (await stack.pick(random)).publicUrl,
    path: '/webhooks',
    headers: { 'seek-signature': signWebhook(body, secret) },
    body,
  });
  return reply?.status;
}

/** The object is whole and the hirer's own, or left out: as refused only where it is another's, or the upstream lied. */
function judgeDelivery(
  context: DrillContext,
  actor: Actor,
  object: DrillObject,
  text: string,
  span: Span,
): void {
  const { upstream, report, outcomes } = context;
  const { user, hirer, step } = actor;
  const wrong = (fault: string): void => report(`step ${step}: ${fault}: ${text}`, user, hirer);
  searchAnswer(context, text, actor);
  const { data } = JSON.parse(text) as { data: Delivered };
  const isOwn = object.hirer === hirer;
  const isRefused = data.objectErrors?.some(({ code }) => code === 'FORBIDDEN') ?? false;
  if (data.object?.object == null) {
    if (isOwn && isRefused && !upstream.misled.has(step)) wrong('the object of the hirer was refused');
    return count(outcomes, isRefused ? 'event without its object' : 'event whose object failed');
  }
  if (!isOwn) return wrong('the object of another hirer was delivered');
  if (data.object.object.marker !== object.marker) return wrong('another object was delivered');
  keepLink(context, actor, object, data.object.object, span);
  count(outcomes, 'event served');
}

interface Delivered {
  readonly object?: { readonly object: { readonly marker: string; file: unknown; title: unknown } | null };
  readonly objectErrors?: readonly { readonly code: string }[];
}

/** `EVENT_SINK_SECRET` of the drill. */
export const SINK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Receives what the replicas deliver, and hands each event to the operation that sent it: once, or more often. */
export class DrillSink {
  private readonly receivers = new Map<string, (text: string) => void>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.receivers.get(String(request.headers['webhook-id']))?.(Buffer.concat(chunks).toString());
        response.writeHead(204).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /**
   * Whether the event is delivered in that time.
   * @param receive called with each delivery, whenever it comes
   */
  async deliveryOf(eventId: string, receive: (text: string) => void, withinMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    this.receivers.set(eventId, (text) => {
      receive(text);
      resolve(true);
    });
    const isDelivered = await promise;
    clearTimeout(timer);
    return isDelivered;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
