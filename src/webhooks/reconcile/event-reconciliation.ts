import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { StoreError } from '../../errors/store-error.js';
import { Cancellation } from '../../http/cancellation.js';
import { Database } from '../../storage/database.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Health } from '../../telemetry/health.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import type { TokenSource } from '../../token/token-renewal.js';
import { GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
import { EventNotices } from '../store/event-notices.js';
import { EventSinks } from '../store/event-sinks.js';
import { CONFLICT, insertEvents } from '../store/insert/insert-events.js';
import type { ReceivedEvent } from '../store/webhook-event.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { EventCursors, type HeldCursor } from './event-cursors.js';
import { EventPages, ReadingEnded, type TieredPage } from './event-pages.js';
import type { StreamPlace } from './events-query.js';

const LOOK_MS = 5_000;
const RESCAN_MS = 15 * 60_000;
/** Pages of one reading, after which others have their turn. */
const PAGES_MAX = 1_000;
const PAGE_PAUSE_MS = 20;
const RETRY_MS_MAX = 30_000;
const DAY_MS = 86_400_000;
const LATE_SECONDS_MIN = 15 * 60;
const LATE_INTERVALS = 3;
const RETENTION_MS = 90 * DAY_MS; // the upstream's
/** A cancelled reading ends at once; returning the cursor waits for the database, which may hang. */
const STOP_MS_MAX = 500;

/** The settings that say what is reconciled, and how often. */
export type ReconciliationConfig = Pick<Config, 'EVENTS_SCHEME_ID' | 'EVENTS_POLL_SECONDS' | 'EVENTS_START'>;

/** The result of a reconciliation; `idle` when it was not due, or another replica held the cursor. */
type ReconciliationOutcome = 'completed' | 'limited' | 'failed' | 'idle';

/**
 * Reads the upstream's events with the partner token and stores those that no webhook delivered (interface 6). The
 * cursor moves in the transaction that stores its page; pages are read in sequence, by one replica at a time. The last
 * quarter of an hour is read again each time, for events that were added to the stream late. Events that could only be
 * read without content are read again from the first of them once the upstream accepts the full query. A stop cancels
 * the query under way. Without `EVENTS_SCHEME_ID` nothing is reconciled.
 */
@Injectable()
export class EventReconciliation implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly schemeId: string;
  private readonly pollMs: number;
  private readonly cursors: EventCursors;
  private loop: Loop | undefined;
  private readonly stopping = new Cancellation();
  private readonly reader: EventPages;

  constructor(
    @Inject(CONFIG) private readonly config: ReconciliationConfig,
    private readonly database: Database,
    @Inject(GraphqlEndpoint) graphql: Pick<GraphqlEndpoint, 'send'>,
    @Inject(PartnerTokens) tokens: TokenSource,
    private readonly sinks: EventSinks,
    private readonly notices: EventNotices,
    private readonly metrics: WebhookMetrics,
    @Inject(LOG) private readonly log: Log,
    private readonly conditions: Conditions,
    private readonly health: Health,
    @Default() private readonly now: () => number = Date.now,
    @Default() private readonly pagesMax = PAGES_MAX,
    @Default() private readonly steadyNow: () => number = () => performance.now(),
  ) {
    this.schemeId = config.EVENTS_SCHEME_ID ?? '';
    this.pollMs = config.EVENTS_POLL_SECONDS * 1000;
    this.cursors = new EventCursors(database, this.schemeId);
    this.reader = new EventPages(this.schemeId, graphql, tokens, log, now, this.stopping);
    if (this.schemeId !== '') this.register();
  }

  /** Reads at once, and from then on whenever it is due. */
  onApplicationBootstrap(): void {
    if (this.schemeId === '') return;
    let isUrgent = true;
    const work = async (): Promise<void> => {
      const wasUrgent = isUrgent;
      isUrgent = false;
      await this.run(wasUrgent);
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
      if (held.thinSince !== null && this.reader.tier === 'full') {
        const thinSince = Math.max(held.thinSince, held.since ?? 0, this.now() - RETENTION_MS);
        this.log.info(
          { since: new Date(thinSince) },
          'reading events again that were stored without content',
        );
        await this.moveBack(held, thinSince, null);
        await this.readOn(held);
      }
      // the last quarter of an hour once more, as far as one reading goes
      await this.readFrom(held, { since: Math.max(this.now() - RESCAN_MS, held.since ?? 0) }, false);
      await this.cursors.release(held, this.pollMs, true);
      this.metrics.reconciliations.inc({ outcome: 'completed' });
      return 'completed';
    } catch (error) {
      return this.endEarly(error, held);
    }
  }

  /**
   * Reconciliation is late by the cursor in the database, which the replica that reads moves for all; in `/readyz`, it is
   * also degraded while events are read without their content.
   */
  private register(): void {
    const { conditions, health, metrics, reader } = this;
    metrics.reportReconciliation(
      () => reader.tier,
      () => this.cursors.ageSeconds(),
    );
    const startedAt = this.steadyNow();
    const lateness = async (): Promise<string | undefined> => {
      const ageSeconds = (await this.cursors.ageSeconds()) ?? (this.steadyNow() - startedAt) / 1000;
      const isLate = ageSeconds > Math.max(LATE_SECONDS_MIN, (LATE_INTERVALS * this.pollMs) / 1000);
      return isLate ? `not completed for ${Math.round(ageSeconds / 60)} minutes` : undefined;
    };
    conditions.figure('reconciliation-late', lateness, () => conditions.culpritOf('partner-token-missing'));
    health.register('reconciliation', () => {
      const check = conditions.checkOf('reconciliation-late');
      return check.state === 'up' ? reader.check() : check;
    });
  }

  /** A store that fails is a condition: it is not logged at every look. */
  private async endEarly(fault: unknown, held: HeldCursor | undefined): Promise<ReconciliationOutcome> {
    const { outcome, retryInMs = Math.min(this.pollMs, RETRY_MS_MAX) } =
      fault instanceof ReadingEnded ? fault : { outcome: 'failed' as const };
    const level = this.stopping.cancelled || fault instanceof StoreError ? 'debug' : 'warn';
    this.log[level]({ err: fault, dueInMs: retryInMs }, 'events were not reconciled');
    this.metrics.reconciliations.inc({ outcome });
    if (held) await this.cursors.release(held, retryInMs, false).catch(() => undefined);
    return outcome;
  }

  /** Reads from the cursor to the end of the stream. */
  private readOn(held: HeldCursor): Promise<void> {
    return this.readFrom(held, { cursor: held.cursor ?? undefined, since: held.since ?? undefined }, true);
  }

  /** Has the stream read again from a time. */
  private async moveBack(held: HeldCursor, since: number, thinSince: number | null): Promise<void> {
    Object.assign(held, { cursor: null, since, thinSince });
    await this.cursors.keep(this.database, held);
  }

  /**
   * Reads and stores one page after the other.
   * @param isReading whether the cursor moves with every page, and a reading that is too long is to go on later
   */
  private async readFrom(held: HeldCursor, from: StreamPlace, isReading: boolean): Promise<void> {
    let place = from;
    for (let read = 0; read < this.pagesMax; read += 1) {
      if (read > 0) await setTimeout(PAGE_PAUSE_MS);
      const page = await this.readPage(held, place);
      const { endCursor, hasNextPage } = page;
      await this.store(held, page, isReading ? (endCursor ?? null) : null);
      if (!hasNextPage) return;
      const isStuck = endCursor === undefined || endCursor === place.cursor;
      if (isStuck) throw new ReadingEnded('failed', 'the cursor of a page does not move');
      place = { cursor: endCursor };
    }
    if (isReading) throw new ReadingEnded('limited', 'more pages than one reading takes', LOOK_MS);
  }

  private async store(held: HeldCursor, page: TieredPage, cursor: string | null): Promise<void> {
    const received = page.events.map((event) => ({
      ...event,
      trust: 'reconciled' as const,
      subscriptionId: null,
      requestId: null,
    }));
    const { insertions, news } = await this.database.transaction(async (tx) => {
      const result = await insertEvents(tx, received, this.sinks);
      const missed = received.filter((_, index) => result.insertions[index] === 'stored');
      held.cursor = cursor ?? held.cursor;
      if (page.tier === 'plain') held.thinSince = this.earliest(held.thinSince, missed);
      await this.cursors.keep(tx, held);
      return result;
    });
    received.forEach(({ id, type }, index) => {
      const insertion = insertions[index]!;
      if (insertion !== 'repeated') {
        this.metrics.event(type, insertion === 'stored' ? 'reconciled' : insertion);
      }
      if (insertion === 'conflict') this.log.warn({ eventId: id }, CONFLICT);
    });
    if (news.length > 0) {
      const withoutHirer = news.filter(({ hirerId }) => hirerId === null).length;
      const fields = { events: news.length, withoutHirer, tier: page.tier };
      this.log.info(fields, 'stored events, or content of events, that no webhook delivered');
    }
    this.notices.announce(news);
  }

  /** The time, or just before the first of these events was created, as far as is known; null for neither. */
  private earliest(time: number | null, events: readonly ReceivedEvent[]): number | null {
    const created = events.map(({ createDateTime }) =>
      createDateTime === null ? this.now() - RESCAN_MS : Date.parse(createDateTime),
    );
    const first = Math.min(time ?? Infinity, ...created.map((at) => at - 1)); // the upstream leaves out the moment itself
    return first === Infinity ? null : first;
  }

  /** A refused cursor would end reconciliation for good; older events are gone upstream anyway. */
  private async readPage(held: HeldCursor, place: StreamPlace): Promise<TieredPage> {
    try {
      return await this.reader.read(place);
    } catch (error) {
      if (error instanceof ReadingEnded && error.isRefused && place.cursor !== undefined) {
        this.log.error('the upstream refuses the cursor of the events; reading the last 90 days again');
        await this.moveBack(held, this.now() - RETENTION_MS, held.thinSince);
      }
      throw error;
    }
  }
}
