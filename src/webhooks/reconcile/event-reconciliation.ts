import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Cancellation } from '../../http/cancellation.js';
import { RequestContext } from '../../http/request-context.js';
import { Database } from '../../storage/database.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import { GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
import { EventNotices } from '../store/event-notices.js';
import { isNews, insertEvents, InsertPolicy } from '../store/insert-events.js';
import type { WebhookEvent } from '../store/webhook-event.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { EventCursors, type HeldCursor } from './event-cursors.js';
import { eventsQuery, readEventsAnswer, type EventsAnswer, type StreamPlace } from './events-query.js';

const LOOK_MS = 5_000;
const RESCAN_MS = 15 * 60_000;
const RETRY_MS_MAX = 30_000;
const DAY_MS = 86_400_000;
const ANSWER_BYTES_MAX = 4_194_304;
/** A cancelled reading ends at once; returning the cursor waits for the database, which may hang. */
const STOP_MS_MAX = 500;

/** The settings that say what is reconciled, and how often. */
export type ReconciliationConfig = Pick<Config, 'EVENTS_SCHEME_ID' | 'EVENTS_POLL_SECONDS' | 'EVENTS_START'>;

/** The result of a reconciliation; `idle` when it was not due, or another replica held the cursor. */
export type ReconciliationOutcome = 'completed' | 'limited' | 'failed' | 'idle';

/** Thrown to end a reading early. */
class ReadingEnded extends Error {
  override readonly name = 'ReadingEnded';

  constructor(
    readonly outcome: 'limited' | 'failed',
    reason: string,
    readonly retryInMs?: number,
  ) {
    super(reason);
  }
}

/**
 * Reads the upstream's events with the partner token and stores those that no webhook delivered (interface 6). The cursor
 * moves in the transaction that stores its page; pages are read in sequence, by one replica at a time. The last
 * quarter of an hour is read again each time, for events that were added to the stream late. A stop cancels the query
 * under way. Without `EVENTS_SCHEME_ID` nothing is reconciled.
 */
@Injectable()
export class EventReconciliation implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly schemeId: string;
  private readonly pollMs: number;
  private readonly cursors: EventCursors;
  private loop: Loop | undefined;
  private readonly stopping = new Cancellation();
  /** Whether the upstream's schema has fewer types of events than this service knows. */
  private isPlain = false;

  constructor(
    @Inject(CONFIG) private readonly config: ReconciliationConfig,
    private readonly database: Database,
    @Inject(GraphqlEndpoint) private readonly graphql: Pick<GraphqlEndpoint, 'send'>,
    @Inject(PartnerTokens) private readonly tokens: Pick<PartnerTokens, 'get' | 'drop'>,
    @Inject(InsertPolicy) private readonly policy: InsertPolicy,
    private readonly notices: EventNotices,
    private readonly metrics: WebhookMetrics,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.schemeId = config.EVENTS_SCHEME_ID ?? '';
    this.pollMs = config.EVENTS_POLL_SECONDS * 1000;
    this.cursors = new EventCursors(database, this.schemeId, now);
  }

  /** Reads at once, and from then on whenever it is due. */
  onApplicationBootstrap(): void {
    if (this.schemeId === '') return;
    let isFirst = true;
    const work = async (): Promise<void> => {
      const isUrgent = isFirst;
      isFirst = false;
      await this.run(isUrgent);
    };
    this.loop = every(LOOK_MS, work, (error) => this.log.error({ err: error }, 'reconciliation failed'));
    this.loop.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.cancel();
    await within(STOP_MS_MAX, Promise.resolve(this.loop?.stop()));
  }

  /** Reads to the end of the stream, if it is due. @param isUrgent reads even before it is due */
  async run(isUrgent = false): Promise<ReconciliationOutcome> {
    let held: HeldCursor | undefined;
    try {
      held = await this.cursors.take(this.config.EVENTS_START, isUrgent);
      if (!held) return 'idle';
      await this.readOn(held);
      await this.rescan(held);
      await this.cursors.release(held, this.pollMs, true);
      this.metrics.reconciliation('completed');
      return 'completed';
    } catch (error) {
      return this.endEarly(error, held);
    }
  }

  private async endEarly(fault: unknown, held: HeldCursor | undefined): Promise<ReconciliationOutcome> {
    const { outcome, retryInMs } =
      fault instanceof ReadingEnded ? fault : { outcome: 'failed' as const, retryInMs: undefined };
    const dueInMs = retryInMs ?? Math.min(this.pollMs, RETRY_MS_MAX);
    if (!this.stopping.cancelled) this.log.warn({ err: fault, dueInMs }, 'events were not reconciled');
    this.metrics.reconciliation(outcome);
    if (held) await this.cursors.release(held, dueInMs, false).catch(() => undefined);
    return outcome;
  }

  /** Reads from the cursor to the end of the stream; the cursor moves with every page. */
  private async readOn(held: HeldCursor): Promise<void> {
    const place = { cursor: held.cursor ?? undefined, since: held.since ?? undefined };
    for await (const page of this.pages(held, place)) {
      await this.store(held, page.events, page.endCursor ?? null);
    }
  }

  /** Reads the last quarter of an hour; the cursor stays. */
  private async rescan(held: HeldCursor): Promise<void> {
    const since = Math.max(this.now() - RESCAN_MS, held.since ?? 0);
    for await (const page of this.pages(held, { since })) await this.store(held, page.events, null);
  }

  private async *pages(held: HeldCursor, from: StreamPlace) {
    let place: StreamPlace | undefined = from;
    while (place) {
      const page = await this.readPage(held, place);
      yield page;
      const isStuck = page.endCursor === undefined || page.endCursor === place.cursor;
      if (page.hasNextPage && isStuck) throw new ReadingEnded('failed', 'the cursor of a page does not move');
      place = page.hasNextPage ? { cursor: page.endCursor } : undefined;
    }
  }

  private async store(
    held: HeldCursor,
    events: readonly WebhookEvent[],
    cursor: string | null,
  ): Promise<void> {
    const received = events.map((event) => ({
      ...event,
      trust: 'reconciled' as const,
      subscriptionId: null,
      requestId: null,
    }));
    const insertions = await this.database.transaction(async (tx) => {
      const { dialect } = this.database;
      const result = await insertEvents(tx, dialect, received, this.policy, this.now());
      await this.cursors.advance(tx, held, cursor);
      return result;
    });
    const missed = events.filter((_, index) => isNews(insertions[index]!));
    for (const { type } of missed) this.metrics.event(type, 'reconciled');
    if (missed.length > 0) {
      this.log.info({ events: missed.length }, 'stored events that no webhook delivered');
    }
    this.notices.announce(missed);
  }

  private async readPage(
    held: HeldCursor,
    place: StreamPlace,
  ): Promise<Extract<EventsAnswer, { kind: 'page' }>> {
    let answer = await this.ask(place);
    if (answer.kind === 'unauthenticated') answer = await this.ask(place); // with a fresh token, once
    if (answer.kind === 'refused' && !this.isPlain) {
      this.log.warn(
        { reason: answer.reason },
        'the upstream refuses the events query; asking for fewer members',
      );
      this.isPlain = true;
      answer = await this.ask(place);
    }
    switch (answer.kind) {
      case 'page':
        return answer;
      case 'limited':
        throw new ReadingEnded('limited', 'rate limited', answer.retryAfterMs);
      case 'unauthenticated':
        throw new ReadingEnded('failed', 'the upstream refuses the partner token');
      case 'refused':
        this.isPlain = false;
        if (place.cursor !== undefined) await this.startOver(held);
        throw new ReadingEnded('failed', answer.reason);
      case 'failed':
        throw new ReadingEnded('failed', answer.reason);
      default:
        return answer satisfies never;
    }
  }

  private async ask(place: StreamPlace): Promise<EventsAnswer> {
    const context = RequestContext.background();
    const token = await this.tokens.get(context);
    const body = eventsQuery(this.schemeId, place, this.isPlain);
    const call = { token, body, bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const answer = readEventsAnswer(await this.graphql.send(call, context), this.now());
    if (answer.kind === 'unauthenticated') await this.tokens.drop(token);
    return answer;
  }

  /** A refused cursor would end reconciliation for good; events older than 90 days are gone upstream anyway. */
  private async startOver(held: HeldCursor): Promise<void> {
    this.log.error('the upstream refuses the cursor of the events; reading the last 90 days again');
    await this.cursors.reset(held, this.now() - 90 * DAY_MS);
  }
}
