import type { IncomingAnswer } from '../../http/exchange.js';
import { readJsonObject } from '../../upstream/json-answer.js';
import { UNAUTHENTICATED } from '../../upstream/upstream-error.js';
import { unlessTooDeep } from '../../errors/unless-too-deep.js';
import { retryAfterSeconds } from '../../http/retry-after.js';
import { readWebhookEvent } from '../receive/webhook-body.js';
import type { WebhookEvent } from '../store/webhook-event.js';

/** Where a page of the stream starts: after a cursor, after a time (epoch ms), or at the earliest event. */
export interface StreamPlace {
  readonly cursor?: string | undefined;
  readonly since?: number | undefined;
}

/** The upstream's answer. `refused` means that it will not run the operation as it is. */
export type EventsAnswer =
  | {
      readonly kind: 'page';
      readonly events: readonly WebhookEvent[];
      readonly endCursor: string | undefined;
      readonly hasNextPage: boolean;
    }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  | { readonly kind: 'refused' | 'failed'; readonly reason: string };

const PAGE_ITEMS = 100;
const LIMITED_MS = 60_000;

/** Members of each type that a webhook would carry. */
const MEMBERS = {
  CandidateApplicationCreatedEvent:
    'hirer { id { value } } candidateId { value } candidateApplicationProfileId { value }',
  CandidateProfilePurchasedEvent: 'hirer { id { value } } candidateProfileId { value }',
  HirerRelationshipChangedEvent: 'hirerId { value }',
  PositionProfilePostedEvent: 'hirer { id { value } } positionProfileId { value }',
  PositionProfileUpdatedEvent: 'hirer { id { value } } positionProfileId { value }',
  PositionProfileClosedEvent: 'hirer { id { value } } positionProfileId { value }',
  PositionNotPostedEvent: 'hirer { id { value } } reasonId { value } seekPartnerPositionId',
};

/**
 * The body of an `events` query (interface 2.5). Arguments that are not used are left out (interface 4.3.2).
 * @param isPlain asks only for members of the interface itself, for an upstream that has fewer types
 */
export function eventsQuery(schemeId: string, { cursor, since }: StreamPlace, isPlain: boolean): string {
  const all: readonly (readonly [name: string, type: string, value: unknown])[] = [
    ['schemeId', 'String!', schemeId],
    ['first', 'Int', isPlain ? undefined : PAGE_ITEMS],
    ['after', 'String', cursor],
    ['filter', 'EventsFilterInput', cursor === undefined ? afterTime(since) : undefined],
  ];
  const given = all.filter(([, , value]) => value !== undefined);
  const declared = given.map(([name, type]) => `$${name}: ${type}`).join(', ');
  const passed = given.map(([name]) => `${name}: $${name}`).join(', ');
  const fragments = Object.entries(MEMBERS).map(([type, members]) => `... on ${type} { ${members} }`);
  const node = `id { value } typeCode createDateTime ${isPlain ? '' : fragments.join(' ')}`;
  return JSON.stringify({
    query: `query Events(${declared}) { events(${passed}) { edges { cursor node { ${node} } } pageInfo { endCursor hasNextPage } } }`,
    variables: Object.fromEntries(given.map(([name, , value]) => [name, value])),
  });
}

function afterTime(since: number | undefined): { afterDateTime: string } | undefined {
  return since === undefined ? undefined : { afterDateTime: new Date(since).toISOString() };
}

/** Reads an answer. Errors next to data are normal: an event of a deleted hirer has no `hirer`. */
export function readEventsAnswer(answer: IncomingAnswer, now: number): EventsAnswer {
  const wait = retryAfterSeconds(answer.headers['retry-after'], now);
  const limited = { kind: 'limited', retryAfterMs: wait === undefined ? LIMITED_MS : wait * 1000 } as const;
  if (answer.status === 429 || answer.status === 503) return limited;
  if (answer.status === 401) return { kind: 'unauthenticated' };
  const body = readJsonObject(answer);
  const page = unlessTooDeep<EventsAnswer | undefined>(
    () => readPage(child(body?.['data'], 'events')),
    () => ({ kind: 'failed', reason: 'an event is nested too deeply' }),
  );
  if (page) return page;
  const codes = errorCodes(body?.['errors']);
  if (codes.includes(UNAUTHENTICATED)) return { kind: 'unauthenticated' };
  if (codes.includes('RATE_LIMITED')) return limited;
  const isFault = codes.length === 0 || codes.includes('INTERNAL_SERVER_ERROR');
  return {
    kind: isFault ? 'failed' : 'refused',
    reason: `status ${answer.status}, codes ${codes.join(' ') || 'none'}`,
  };
}

function readPage(events: unknown): Extract<EventsAnswer, { kind: 'page' }> | undefined {
  const [edges, pageInfo] = [child(events, 'edges'), child(events, 'pageInfo')];
  if (!Array.isArray(edges) || !isRecord(pageInfo)) return undefined;
  const nodes = edges.map((edge) => child(edge, 'node')).filter(isRecord);
  const endCursor = pageInfo['endCursor'] ?? child(edges.at(-1), 'cursor');
  return {
    kind: 'page',
    events: nodes.map((node) => readWebhookEvent(toWebhookForm(node))),
    endCursor: typeof endCursor === 'string' ? endCursor : undefined,
    hasNextPage: pageInfo['hasNextPage'] === true,
  };
}

/** A node as a webhook would carry it: `type` for `typeCode`, identifiers as texts, the hirer as `hirerId`. */
function toWebhookForm({ typeCode, hirer, ...members }: Record<string, unknown>): Record<string, unknown> {
  const hirerId = child(child(hirer, 'id'), 'value');
  const event: Record<string, unknown> = { type: typeCode };
  for (const [name, value] of Object.entries(members)) event[name] = isRecord(value) ? value['value'] : value;
  if (hirerId !== undefined) event['hirerId'] = hirerId;
  return event;
}

function errorCodes(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error) => {
    const code = child(child(error, 'extensions'), 'code');
    return typeof code === 'string' ? code : 'UNKNOWN';
  });
}

function child(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
