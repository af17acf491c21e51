import { clip } from '../../errors/bff-error.js';
import { unlessTooDeep } from '../../errors/unless-too-deep.js';
import type { IncomingAnswer } from '../../http/outgoing/exchange.js';
import { isObject } from '../../json/is-object.js';
import { retryAfterSeconds } from '../../http/header-values.js';
import {
  codeOf,
  RATE_LIMITED,
  readJsonObject,
  REFUSAL_CODES,
  UNAUTHENTICATED,
} from '../../upstream/upstream-answer.js';
import { readWebhookEvent } from '../receive/webhook-body.js';
import { EVENT_TYPES, type DocumentedType } from '../webhook-event.js';
import type { WebhookEvent } from '../webhook-event.js';

/** Where a page of the stream starts: after a cursor, after a time (epoch ms), or at the earliest event. */
export interface StreamPlace {
  readonly cursor?: string | undefined;
  readonly since?: number | undefined;
}

/** A page of the stream. */
export interface EventsPage {
  readonly kind: 'page';
  readonly events: readonly WebhookEvent[];
  readonly endCursor: string | undefined;
  readonly hasNextPage: boolean;
}

/** An answer without the page. `refused` means that the upstream will not run the operation as it is. */
export interface EventsFault {
  readonly kind: 'unauthenticated' | 'limited' | 'refused' | 'failed';
  readonly reason: string;
  readonly retryAfterMs?: number;
}

const PAGE_ITEMS = 100;
const LIMITED_MS = 60_000;
const REASON_CHARACTERS = 500;
/** Of an error without a code, as some servers answer a query that does not fit their schema. */
const UNKNOWN = 'UNKNOWN';
const REFUSED_TOKEN = { kind: 'unauthenticated', reason: 'the upstream refuses the partner token' } as const;

/** How much of each event is asked for: its content and hirer, or what every event has, with arguments of the interface alone. */
export type Tier = 'full' | 'plain';

/** Members of an event type: what its webhook carries, and the way to its hirer. */
interface EventMembers {
  readonly ids: string;
  readonly hirer?: string;
}

const HIRER = 'positionOrganizations { id { value } }';

/**
 * Types that every schema has; others are read without their content. A relationship names its hirer; the others are a
 * hirer's through their position.
 */
const MEMBERS: Readonly<Record<string, EventMembers>> = {
  CandidateApplicationCreated: {
    ids: idsOf('CandidateApplicationCreated'),
    hirer: `candidateApplicationProfile { associatedPositionProfile { ${HIRER} } }`,
  },
  CandidateProfilePurchased: {
    ids: idsOf('CandidateProfilePurchased'),
    hirer: `candidateProfile { associatedPositionProfile { ${HIRER} } }`,
  },
  HirerRelationshipChanged: { ids: 'hirerId' },
  PositionProfilePosted: { ids: idsOf('PositionProfilePosted'), hirer: `positionProfile { ${HIRER} }` },
  PositionProfileClosed: { ids: idsOf('PositionProfileClosed'), hirer: `positionProfile { ${HIRER} }` },
};

const FRAGMENTS = Object.entries(MEMBERS).map(
  ([type, { ids, hirer = '' }]) => `... on ${type}Event { ${`${ids} ${hirer}`.trim()} }`,
);

/** The body of an `events` query (interface 2.5). Arguments that are not used are left out (interface 4.3.2). */
export function eventsQuery(schemeId: string, { cursor, since }: StreamPlace, tier: Tier): string {
  const all: readonly (readonly [name: string, type: string, value: unknown])[] = [
    ['schemeId', 'String!', schemeId],
    ['first', 'Int', tier === 'plain' ? undefined : PAGE_ITEMS],
    ['after', 'String', cursor],
    ['filter', 'EventsFilterInput', cursor === undefined ? afterTime(since) : undefined],
  ];
  const given = all.filter(([, , value]) => value !== undefined);
  const declared = given.map(([name, type]) => `$${name}: ${type}`).join(', ');
  const passed = given.map(([name]) => `${name}: $${name}`).join(', ');
  const node = ['id { value } typeCode createDateTime', ...(tier === 'full' ? FRAGMENTS : [])].join(' ');
  return JSON.stringify({
    query: `query Events(${declared}) { events(${passed}) { edges { cursor node { ${node} } } pageInfo { endCursor hasNextPage } } }`,
    variables: Object.fromEntries(given.map(([name, , value]) => [name, value])),
  });
}

/** What its webhook carries, as a selection. */
function idsOf(type: DocumentedType): string {
  return Object.keys(EVENT_TYPES[type].members).join(' ');
}

function afterTime(since: number | undefined): { afterDateTime: string } | undefined {
  return since === undefined ? undefined : { afterDateTime: new Date(since).toISOString() };
}

/** Reads an answer. Errors next to data are normal: an event whose relationship is gone has no hirer. */
export function readEventsAnswer(answer: IncomingAnswer, now: number): EventsPage | EventsFault {
  const wait = retryAfterSeconds(answer.headers['retry-after'], now);
  const retryAfterMs = wait === undefined ? LIMITED_MS : wait * 1000;
  const limited = { kind: 'limited', reason: 'rate limited', retryAfterMs } as const;
  if (answer.status === 429 || answer.status === 503) return limited;
  if (answer.status === 401) return REFUSED_TOKEN;
  const body = readJsonObject(answer);
  const errors = readErrors(body?.['errors']);
  const codes = errors.map(({ code }) => code);
  const page = unlessTooDeep<EventsPage | EventsFault | undefined>(
    () => readPage(child(body?.['data'], 'events')),
    () => ({ kind: 'failed', reason: 'an event is nested too deeply' }),
  );
  if (page) return page;
  if (codes.includes(UNAUTHENTICATED)) return REFUSED_TOKEN;
  if (codes.includes(RATE_LIMITED)) return limited;
  const isRefusal = codes.length > 0 && codes.every((code) => code === UNKNOWN || REFUSAL_CODES.has(code));
  const reasons = errors.map(({ code, message }) => `${code}: ${message}`).join('; ');
  return {
    kind: isRefusal ? 'refused' : 'failed',
    reason: clip(`status ${answer.status}, ${reasons || 'no GraphQL error'}`, REASON_CHARACTERS),
  };
}

function readPage(events: unknown): EventsPage | undefined {
  const [edges, pageInfo] = [child(events, 'edges'), child(events, 'pageInfo')];
  if (!Array.isArray(edges) || !isObject(pageInfo)) return undefined;
  const nodes = edges.map((edge) => child(edge, 'node')).filter(isObject);
  const endCursor = pageInfo['endCursor'] ?? child(edges.at(-1), 'cursor');
  return {
    kind: 'page',
    events: nodes.map((node) => readWebhookEvent(toWebhookForm(node))),
    endCursor: typeof endCursor === 'string' ? endCursor : undefined,
    hasNextPage: pageInfo['hasNextPage'] === true,
  };
}

/** A node as a webhook would carry it: `type` for `typeCode`, identifiers as texts, the hirer as `hirerId`. */
function toWebhookForm(node: Record<string, unknown>): Record<string, unknown> {
  const { typeCode, candidateApplicationProfile, candidateProfile, positionProfile, ...members } = node;
  const profile = candidateApplicationProfile ?? candidateProfile;
  const hirerId = hirerOf(child(profile, 'associatedPositionProfile') ?? positionProfile);
  const event: Record<string, unknown> = { type: typeCode };
  for (const [name, value] of Object.entries(members)) event[name] = isObject(value) ? value['value'] : value;
  if (hirerId !== undefined) event['hirerId'] = hirerId;
  return event;
}

/** The hirer of a position; none if the upstream names several, because the event may be shown to one alone. */
function hirerOf(position: unknown): unknown {
  const hirers = child(position, 'positionOrganizations');
  return Array.isArray(hirers) && hirers.length === 1 ? child(child(hirers[0], 'id'), 'value') : undefined;
}

function readErrors(errors: unknown): { code: string; message: string }[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error) => ({
    code: codeOf(error) ?? UNKNOWN,
    message: textOf(child(error, 'message')) ?? '',
  }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function child(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
