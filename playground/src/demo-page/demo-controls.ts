import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { EventType } from '../data/records.js';
import { isRecord, parseJson } from '../http/exchange.js';
import type { Playground } from '../playground.js';
import { DEMO_FAULTS } from './demo-faults.js';

/** The parts of the playground that the demo page's controls act on. */
export type DemoControlParts = Pick<
  Playground,
  'demo' | 'events' | 'eventSink' | 'faults' | 'tokens' | 'webhooks'
>;

/** The types of events that the page can emit. */
const HAPPENINGS: readonly EventType[] = [
  'CandidateApplicationCreated',
  'CandidateProfilePurchased',
  'PositionProfilePosted',
  'PositionProfileClosed',
];

type Answer = (body: Record<string, unknown>, parts: DemoControlParts) => object | undefined;

/**
 * The demo page's controls of the playground: a few fixed actions, on the page's own origin. The playground's control
 * routes stay closed to browsers. Bodies are JSON, a type that no page of another origin can send without permission.
 */
export function demoControls(parts: DemoControlParts): RouteOptions[] {
  return [
    post('/demo/happenings', happen, parts),
    post('/demo/happenings/again', tellAgain, parts),
    post('/demo/faults', planFault, parts),
    post('/demo/faults/clear', clearFaults, parts),
    {
      method: 'GET',
      url: '/demo/events/:id',
      config: { access: 'open' },
      handler: ({ params }) => whereabouts((params as { id: string }).id, parts),
    },
  ];
}

function post(url: string, answer: Answer, parts: DemoControlParts): RouteOptions {
  const handler = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const body = Buffer.isBuffer(request.body) ? parseJson(request.body)?.value : undefined;
    const answered = isRecord(body) ? answer(body, parts) : undefined;
    return answered ?? reply.status(400).send({ message: 'The body is not one that the demo page sends.' });
  };
  return { method: 'POST', url, config: { access: 'open' }, handler };
}

function happen({ type, hirerId }: Record<string, unknown>, { demo, events }: DemoControlParts) {
  const known = HAPPENINGS.find((name) => name === type);
  const hirer = demo.hirers.find((one) => one.hirerId === hirerId);
  if (known === undefined || hirer === undefined) return undefined;
  const { id, members } = events.emit(known, { hirerId: hirer.hirerId });
  return { eventId: id, type: known, members };
}

/** Sends an event again to the subscriber that received it, as the upstream may. */
function tellAgain({ eventId }: Record<string, unknown>, { webhooks }: DemoControlParts) {
  if (typeof eventId !== 'string') return undefined;
  const sent = requestsWith(eventId, webhooks).at(-1);
  const subscription = sent && webhooks.subscriptions.get(sent.subscriptionId);
  if (subscription === undefined) return undefined;
  webhooks.replay(subscription, { kind: 'ids', eventIds: [eventId] });
  return { eventId };
}

/** One fault at a time: all faults planned before are cleared. */
function planFault({ name }: Record<string, unknown>, parts: DemoControlParts) {
  const plan = typeof name === 'string' && Object.hasOwn(DEMO_FAULTS, name) ? DEMO_FAULTS[name] : undefined;
  if (plan === undefined) return undefined;
  parts.faults.clear();
  plan(parts);
  return { name };
}

function clearFaults(_body: Record<string, unknown>, { faults }: DemoControlParts) {
  faults.clear();
  return {};
}

/** The stations that an event has reached: webhook requests with it, and deliveries to the playground's sink. */
function whereabouts(eventId: string, { webhooks, eventSink }: DemoControlParts): object {
  const requests = requestsWith(eventId, webhooks).map(({ requestId, statusCode, latencyMs }) => ({
    requestId,
    statusCode,
    latencyMs,
  }));
  return { requests, deliveries: eventSink.list(eventId) };
}

function requestsWith(eventId: string, { requests }: DemoControlParts['webhooks']) {
  return requests.filter(({ attempts }) => attempts.some((attempt) => attempt.eventId === eventId));
}
