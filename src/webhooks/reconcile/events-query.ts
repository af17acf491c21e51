import { clip } from '../../errors/bff-error.js';
import { type Cancellation, RequestContext } from '../../http/request-context.js';
import type { IncomingAnswer } from '../../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../../http/header-values.js';
import { isObject, unlessTooDeep } from '../../json/parse-json.js';
import type { Log } from '../../telemetry/log.js';
import { sendWithToken, type TokenSource } from '../../token/replace-refused-token.js';
import {
  codeOf,
  RATE_LIMITED,
  readJsonObject,
  REFUSAL_CODES,
  UNAUTHENTICATED,
} from '../../upstream/upstream-answer.js';
import type { Upstream } from '../../upstream/upstream.js';
import { EVENT_TYPES, readWebhookEvent, type DocumentedType, type WebhookEvent } from '../webhook-event.js';

/** After a cursor, after a time (epoch ms), or at the earliest event. */
export interface StreamPlace {
  readonly cursor?: string | undefined;
  readonly since?: number | undefined;
}

export interface EventsPage {
  readonly kind: 'page';
  readonly events: readonly WebhookEvent[];
  readonly endCursor: string | undefined;
  readonly hasNextPage: boolean;
}

/** An answer without the page. `refused` means that the upstream will not run the operation as it is. */
interface EventsFault {
  readonly kind: 'unauthenticated' | 'limited' | 'refused' | 'failed';
  readonly reason: string;
  readonly retryAfterMs?: number;
}

const PAGE_ITEMS = 100;
const ANSWER_BYTES_MAX = 4_194_304;
/** How long the full query is not tried again after the upstream refused it. */
const REFUSED_MS = 3_600_000;
const LIMITED_MS = 60_000;
const REASON_CHARACTERS = 500;
/** Of an error without a code, as some servers answer a query that does not fit their schema. */
const UNKNOWN = 'UNKNOWN';
const REFUSED_TOKEN = { kind: 'unauthenticated', reason: 'the upstream refuses the partner token' } as const;

/** How much of each event is asked for: its content and hirer, or what every event has, with arguments of the interface alone. */
export type Tier = 'full' | 'plain';

const HIRER = 'positionOrganizations { id { value } }';
const OF_POSITION = `associatedPositionProfile { ${HIRER} }`;

/**
 * What is asked of the types that every schema has: what their webhooks carry, and their hirer. Others are read without
 * content.
 */
const FRAGMENTS = Object.entries({
  CandidateApplicationCreated: `candidateApplicationProfile { ${OF_POSITION} }`,
  CandidateProfilePurchased: `candidateProfile { ${OF_POSITION} }`,
  HirerRelationshipChanged: 'hirerId',
  PositionProfilePosted: `positionProfile { ${HIRER} }`,
  PositionProfileClosed: `positionProfile { ${HIRER} }`,
} satisfies Partial<Record<DocumentedType, string>>).map(([type, hirer]) => {
  const ids = Object.keys(EVENT_TYPES[type as DocumentedType].members);
  return `... on ${type}Event { ${[...ids, hirer].join(' ')} }`;
});

/** Thrown to end a reading early. */
export class ReadingEnded extends Error {
  /** @param isRefused whether the upstream accepts the query in no form */
  constructor(
    reason: string,
    readonly retryInMs?: number,
    readonly isRefused = false,
  ) {
    super(reason);
  }
}

/** Reads pages of the upstream's events with the partner token: by the full query, or the plain one where that is refused. */
export class EventPages {
  /** Until then, epoch milliseconds, the full query is not tried. */
  private plainUntil = 0;

  constructor(
    private readonly schemeId: string,
    private readonly upstream: Pick<Upstream, 'sendGraphql'>,
    private readonly tokens: TokenSource,
    private readonly log: Log,
    private readonly now: () => number,
    private readonly stopping: Cancellation,
  ) {}

  get tier(): Tier {
    return this.now() < this.plainUntil ? 'plain' : 'full';
  }

  /** @throws ReadingEnded; ExchangeFault when no whole answer came; BffError without a partner token */
  async read(place: StreamPlace): Promise<EventsPage> {
    if (this.tier === 'plain') return pageOf(await this.ask('plain', place));
    const full = await this.ask('full', place);
    if (full.kind !== 'refused') return pageOf(full);
    const plain = await this.ask('plain', place);
    if (plain.kind === 'page') {
      this.plainUntil = this.now() + REFUSED_MS;
      this.log.warn(
        { reason: full.reason, triedAgainInMs: REFUSED_MS },
        'the upstream refuses the full events query; events are read without their content',
      );
    }
    return pageOf(plain.kind === 'refused' ? full : plain);
  }

  private ask(tier: Tier, place: StreamPlace): Promise<EventsPage | EventsFault> {
    const context = RequestContext.background();
    const body = eventsQuery(this.schemeId, place, tier);
    const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const send = async (token: string) =>
      readEventsAnswer(await this.upstream.sendGraphql(body, { token, ...bounds }, context), this.now());
    return sendWithToken(this.tokens, context, send, ({ kind }) => kind === 'unauthenticated');
  }
}

/** @throws ReadingEnded */
function pageOf(answer: EventsPage | EventsFault): EventsPage {
  if (answer.kind === 'page') return answer;
  throw new ReadingEnded(answer.reason, answer.retryAfterMs, answer.kind === 'refused');
}

/** The body of an `events` query (interface 2.5). Arguments that are not used are left out (interface 4.3.2). */
export function eventsQuery(schemeId: string, { cursor, since }: StreamPlace, tier: Tier): string {
  const isFromTime = cursor === undefined && since !== undefined;
  const filter = isFromTime ? { afterDateTime: new Date(since).toISOString() } : undefined;
  const all: readonly (readonly [name: string, type: string, value: unknown])[] = [
    ['schemeId', 'String!', schemeId],
    ['first', 'Int', tier === 'plain' ? undefined : PAGE_ITEMS],
    ['after', 'String', cursor],
    ['filter', 'EventsFilterInput', filter],
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

/** Reads an answer. Errors next to data are normal: an event whose relationship is gone has no hirer. */
export function readEventsAnswer(answer: IncomingAnswer, now: number): EventsPage | EventsFault {
  const wait = retryAfterSeconds(answer.headers['retry-after'], now);
  const retryAfterMs = wait === undefined ? LIMITED_MS : wait * 1000;
  const limited = {
    kind: 'limited',
    reason: `rate limited, or unavailable (status ${answer.status})`,
    retryAfterMs,
  } as const;
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
