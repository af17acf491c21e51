import { setTimeout as delay } from 'node:timers/promises';
import { anEvent } from '../../webhooks/send-webhook.js';
import { calls } from './call-judge.js';
import { countServed, searchAnswer, sendEvent, wrong, type Actor, type DrillContext } from './context.js';
import { keepLink } from './graphql-operations.js';
import { now, type Span } from './memberships.js';
import type { DrillObject } from './world.js';
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { portOf } from '../../support/machine.js';

const DELIVERY_MS_MAX = 180_000; // for a busy machine
const REPEAT_AFTER_MS = 250;
const REPEATS_MAX = 40;
const FOREIGN_SHARE = 0.3;
/** Of one who knows no secret: must be refused, and cause no call. */
const FORGED_SHARE = 0.1;

/** An event of a hirer that names an object, mostly its own: what is delivered with it, and that it is delivered. */
export async function deliverEvent(context: DrillContext, drawn: Actor): Promise<void> {
  const { world, ledger, sink } = context;
  const { hirer, random, step } = drawn;
  const actor = { ...drawn, user: world.machines[0]! };
  const object = random.pick((random.chance(FOREIGN_SHARE) ? random.pick(world.hirers) : hirer).objects);
  const nonce = `event ${step}`;
  const event = anEvent({ type: 'ObjectChanged', hirerId: hirer.hirerId, objectId: object.id, nonce });
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
      ? wrong(context, actor, 'a forged event was delivered')
      : judgeDelivery(context, actor, object, text, { ...begun.span, end: now() });
  const delivery = sink.deliveryOf(String(event['id']), judge, isForged ? 0 : DELIVERY_MS_MAX);
  const status = isForged
    ? await sendEvent(context, random, event, 'another-secret-of-webhooks')
    : await sendUntilTaken(context, actor, event);
  const isDelivered = await delivery;
  ledger.end(begun, `answered ${status}, ${isDelivered ? '' : 'not '}delivered`);
  if (status !== 204) return;
  if (isForged) wrong(context, actor, 'a forged event was taken');
  else if (!isDelivered) wrong(context, actor, 'an event was not delivered');
}

/** The upstream repeats what is not answered with 204, as while a replica starts again. */
async function sendUntilTaken(
  context: DrillContext,
  { random }: Actor,
  event: object,
): Promise<number | undefined> {
  let status = await sendEvent(context, random, event);
  for (let repeats = 0; status !== 204 && repeats < REPEATS_MAX; repeats += 1) {
    await delay(REPEAT_AFTER_MS);
    status = await sendEvent(context, random, event);
  }
  return status;
}

/** The object is whole and the hirer's own, or left out: as refused only where it is another's, or the upstream lied. */
function judgeDelivery(
  context: DrillContext,
  actor: Actor,
  object: DrillObject,
  text: string,
  span: Span,
): void {
  const fail = (fault: string): void => wrong(context, actor, `${fault}: ${text}`);
  searchAnswer(context, text, actor);
  const { data } = JSON.parse(text) as { data: Delivered };
  const isOwn = object.hirer === actor.hirer;
  const isRefused = data.objectErrors?.some(({ code }) => code === 'FORBIDDEN') ?? false;
  const delivered = data.object?.object;
  if (delivered == null) {
    if (isOwn && isRefused && !context.upstream.misled.has(actor.step)) {
      fail('the object of the hirer was refused');
    }
    return;
  }
  if (!isOwn) return fail('the object of another hirer was delivered');
  if (delivered.marker !== object.marker) return fail('another object was delivered');
  keepLink(context, actor, object, delivered, span);
  countServed(context, 'event');
}

interface Delivered {
  readonly object?: { readonly object: { readonly marker: string; file: unknown; title: unknown } | null };
  readonly objectErrors?: readonly { readonly code: string }[];
}

/** Receives what the replicas deliver, and hands each event to the operation that sent it: once, or more often. */
export class DrillSink {
  private readonly receivers = new Map<string, (text: string) => void>();

  /** @returns its URL */
  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      const receive = (text: string): void => {
        this.receivers.get(String(request.headers['webhook-id']))?.(text);
        response.writeHead(204).end();
      };
      void textOf(request).then(receive, () => undefined); // of a replica that was killed
    });
    return `http://127.0.0.1:${await portOf(server)}/`;
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
}
