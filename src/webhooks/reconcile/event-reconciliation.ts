import type { Log } from '../../telemetry/log.js';
import type { Database } from '../../storage/database.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import { Cancellation } from '../../http/cancellation.js';
import type { GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
import { RequestContext } from '../../http/request-context.js';
import { EventCursors, type HeldCursor } from './event-cursors.js';
import type { EventNotices } from '../store/event-notices.js';
import { eventsQuery, readEventsAnswer, type EventsAnswer, type StreamPlace } from './events-query.js';
import { bringsNews, insertEvents, type InsertPolicy } from '../store/insert-events.js';
import type { WebhookEvent } from '../store/webhook-event.js';
import type { WebhookMetrics } from '../webhook-metrics.js';

const LOOK_MS = 5_000;
const RESCAN_MS = 15 * 60_000;
const RETRY_MS_MAX = 30_000;
const DAY_MS = 86_400_000;
const ANSWER_BYTES_MAX = 4_194_304;

/** What is reconciled, and how often. */
export interface ReconciliationSettings {
  readonly schemeId: string;
  readonly pollMs: number;
  readonly start: 'now' | 'earliest';
}

/** What came of a reconciliation; `idle` when it was not due, or another replica's turn. */
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
 * Reads the upstream's events with the partner token and stores those that no webhook brought (interface 6). The cursor
 * moves in the transaction that stores its page; pages are read in sequence, by one replica at a time. The last
 * quarter of an hour is read again each time, for events that came into the stream late.
 */
export class EventReconciliation {
  private readonly cursors: EventCursors;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<ReconciliationOutcome> | undefined;
  private readonly stopping = new Cancellation();
  /** Whether the upstream knows fewer types of events than we do. */
  private isPlain = false;

  constructor(
    private readonly settings: ReconciliationSettings,
    private readonly database: Database,
    private readonly graphql: Pick<GraphqlEndpoint, 'send'>,
    private readonly tokens: Pick<PartnerTokens, 'get' | 'drop'>,
    private readonly policy: InsertPolicy,
    private readonly notices: EventNotices,
    private readonly metrics: WebhookMetrics,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {
    this.cursors = new EventCursors(database, settings.schemeId, now);
  }

  /** Reads at once, and from then on whenever it is due. */
  start(): void {
    this.timer = setInterval(() => void this.run(), LOOK_MS).unref();
    void this.run(true);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.cancel();
    await this.running;
  }

  /** Reads to the end of the stream, if it is due. @param isUrgent whether it is read before it is due, too */
  run(isUrgent = false): Promise<ReconciliationOutcome> {
    this.running ??= this.reconcile(isUrgent).finally(() => (this.running = undefined));
    return this.running;
  }

  private async reconcile(isUrgent: boolean): Promise<ReconciliationOutcome> {
    let held: HeldCursor | undefined;
    try {
      held = await this.cursors.take(this.settings.start, isUrgent);
      if (!held) return 'idle';
      await this.readOn(held);
      await this.rescan(held);
      await this.cursors.release(held, this.settings.pollMs, true);
      this.metrics.reconciliation('completed');
      return 'completed';
    } catch (error) {
      return this.endEarly(error, held);
    }
  }

  private async endEarly(fault: unknown, held: HeldCursor | undefined): Promise<ReconciliationOutcome> {
    const { outcome, retryInMs } =
      fault instanceof ReadingEnded ? fault : { outcome: 'failed' as const, retryInMs: undefined };
    const dueInMs = retryInMs ?? Math.min(this.settings.pollMs, RETRY_MS_MAX);
    if (!this.stopping.cancelled) this.log.warn({ err: fault, dueInMs }, 'events were not reconciled');
    this.metrics.reconciliation(outcome);
    if (held) await this.cursors.release(held, dueInMs, false).catch(() => undefined);
    return outcome;
  }

  /** From the cursor to the end of the stream; it moves with every page. */
  private async readOn(held: HeldCursor): Promise<void> {
    const place = { cursor: held.cursor ?? undefined, since: held.since ?? undefined };
    for await (const page of this.pages(held, place)) {
      await this.store(held, page.events, page.endCursor ?? null);
    }
  }

  /** The last quarter of an hour; the cursor stays. */
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
    const missed = events.filter((_, index) => bringsNews(insertions[index]!));
    for (const { type } of missed) this.metrics.event(type, 'reconciled');
    if (missed.length > 0) this.log.info({ events: missed.length }, 'stored events that no webhook brought');
    this.notices.announce(missed);
  }

  private async readPage(
    held: HeldCursor,
    place: StreamPlace,
  ): Promise<Extract<EventsAnswer, { kind: 'page' }>> {
    let answer = await this.ask(place);
    if (answer.kind === 'unauthenticated') answer = await this.ask(place); // with a fresh token, once
    if (answer.kind === 'refused' && !this.isPlain) {
      this.log.warn({ reason: answer.reason }, 'the upstream refuses the events query; asking for less');
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
    const body = eventsQuery(this.settings.schemeId, place, this.isPlain);
    const call = { token, body, bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const answer = readEventsAnswer(await this.graphql.send(call, context), this.now());
    if (answer.kind === 'unauthenticated') await this.tokens.drop(token);
    return answer;
  }

  /** A cursor that the upstream refuses would stop us for good; what it forgot by age cannot be had anyway. */
  private async startOver(held: HeldCursor): Promise<void> {
    this.log.error('the upstream refuses the cursor of the events; reading the last 90 days again');
    await this.cursors.reset(held, this.now() - 90 * DAY_MS);
  }
}
