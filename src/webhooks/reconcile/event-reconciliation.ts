import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { StoreError } from '../../errors/store-error.js';
import { Cancellation } from '../../http/request-context.js';
import { Database } from '../../storage/database.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Health, type Check } from '../../telemetry/health.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import type { TokenSource } from '../../token/replace-refused-token.js';
import { Upstream } from '../../upstream/upstream.js';
import { EventNotices } from '../store/event-notices.js';
import { EventSinks } from '../store/event-sinks.js';
import { CONFLICT, insertEvents } from '../store/insert-events.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { EventCursors, type HeldCursor } from './event-cursors.js';
import { EventPages, ReadingEnded, type EventsPage, type StreamPlace } from './events-query.js';

const LOOK_MS = 5_000;
const RESCAN_MS = 15 * 60_000;
/** In which others have their turn. */
const PAGE_PAUSE_MS = 20;
const RETRY_MS_MAX = 30_000;
const LATE_SECONDS_MIN = 15 * 60;
const LATE_INTERVALS = 3;
/** A cancelled reading ends at once; returning the cursor waits for the database, which may hang. */
const STOP_MS_MAX = 500;

export type ReconciliationConfig = Pick<Config, 'EVENTS_SCHEME_ID' | 'EVENTS_POLL_SECONDS' | 'EVENTS_START'>;

/**
 * Reads the upstream's events with the partner token and stores those that no webhook delivered (interface 6). The
 * cursor moves in the transaction that stores its page. The last interval, and a quarter of an hour before it, is read
 * again each time, for events that were added late. Without `EVENTS_SCHEME_ID` nothing is reconciled.
 */
@Injectable()
export class EventReconciliation implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly isOn: boolean;
  private readonly pollMs: number;
  private readonly cursors: EventCursors;
  private readonly pages: EventPages;
  private readonly stopping = new Cancellation();
  private loop: Loop | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: ReconciliationConfig,
    private readonly database: Database,
    @Inject(Upstream) upstream: Pick<Upstream, 'sendGraphql'>,
    @Inject(PartnerTokens) tokens: TokenSource,
    private readonly sinks: EventSinks,
    private readonly notices: EventNotices,
    private readonly metrics: WebhookMetrics,
    @Inject(LOG) private readonly log: Log,
    private readonly conditions: Conditions,
    health: Health,
    @Default() private readonly now: () => number = Date.now,
    @Default() private readonly steadyNow: () => number = () => performance.now(),
  ) {
    const { EVENTS_SCHEME_ID: schemeId = '', EVENTS_POLL_SECONDS } = config;
    this.isOn = schemeId !== '';
    this.pollMs = EVENTS_POLL_SECONDS * 1000;
    this.cursors = new EventCursors(database, schemeId);
    this.pages = new EventPages(schemeId, upstream, tokens, log, now, this.stopping);
    if (!this.isOn) return;
    this.watchAge();
    health.register('reconciliation', () => this.check());
  }

  /** Reads at once, and from then on whenever it is due. */
  onApplicationBootstrap(): void {
    if (!this.isOn) return;
    let isUrgent = true;
    const work = async (): Promise<void> => {
      await this.run(isUrgent);
      isUrgent = false;
    };
    this.loop = every(LOOK_MS, work, (error) => this.log.error({ err: error }, 'reconciliation failed'));
    this.loop.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.cancel();
    await within(STOP_MS_MAX, Promise.resolve(this.loop?.stop()));
  }

  /** `idle` when it is not due, or another replica holds the cursor. @param isUrgent reads even before it is due */
  async run(isUrgent = false): Promise<'completed' | 'failed' | 'idle'> {
    let held: HeldCursor | undefined;
    try {
      held = await this.cursors.take(this.config.EVENTS_START, isUrgent);
      if (!held) return 'idle';
      const { cursor, since } = held;
      await this.readFrom(held, { cursor: cursor ?? undefined, since: since ?? undefined }, true);
      const rescan = { since: Math.max(this.now() - RESCAN_MS - this.pollMs, since ?? 0) };
      await this.readFrom(held, rescan, false);
      await this.cursors.release(held, this.pollMs, true);
      return 'completed';
    } catch (error) {
      return this.endEarly(error, held);
    }
  }

  /** By the cursor in the database, which the replica that reads moves for all. */
  private watchAge(): void {
    const { conditions } = this;
    const startedAt = this.steadyNow();
    const lateness = async (): Promise<string | undefined> => {
      const ageSeconds = (await this.cursors.ageSeconds()) ?? (this.steadyNow() - startedAt) / 1000;
      const isLate = ageSeconds > Math.max(LATE_SECONDS_MIN, (LATE_INTERVALS * this.pollMs) / 1000);
      return isLate ? `not completed for ${Math.round(ageSeconds / 60)} minutes` : undefined;
    };
    conditions.figure('reconciliation-late', lateness, () => conditions.culpritOf('partner-token-missing'));
  }

  private check(): Check {
    const check = this.conditions.checkOf('reconciliation-late');
    if (check.state !== 'up' || this.pages.tier === 'full') return check;
    const reason = 'the upstream refuses the full events query; events have no content';
    return { state: 'degraded', reason };
  }

  /** A store that fails is a condition: it is not logged at every look. */
  private async endEarly(fault: unknown, held: HeldCursor | undefined): Promise<'failed'> {
    const own = fault instanceof ReadingEnded ? fault.retryInMs : undefined;
    const dueInMs = own ?? Math.min(this.pollMs, RETRY_MS_MAX);
    const level = this.stopping.cancelled || fault instanceof StoreError ? 'debug' : 'warn';
    this.log[level]({ err: fault, dueInMs }, 'events were not reconciled');
    if (held) await this.cursors.release(held, dueInMs, false).catch(() => undefined);
    return 'failed';
  }

  /** To the end of the stream. */
  private async readFrom(held: HeldCursor, from: StreamPlace, movesCursor: boolean): Promise<void> {
    let place = from;
    for (;;) {
      const page = await this.readPage(held, place);
      const { endCursor, hasNextPage } = page;
      if (movesCursor) held.cursor = endCursor ?? held.cursor;
      await this.store(held, page);
      if (!hasNextPage) return;
      const isStuck = endCursor === undefined || endCursor === place.cursor;
      if (isStuck) throw new ReadingEnded('the cursor of a page does not move');
      place = { cursor: endCursor };
      await setTimeout(PAGE_PAUSE_MS);
    }
  }

  /** A refused cursor would end reconciliation for good; older events are gone upstream anyway. */
  private async readPage(held: HeldCursor, place: StreamPlace): Promise<EventsPage> {
    try {
      return await this.pages.read(place);
    } catch (error) {
      if (error instanceof ReadingEnded && error.isRefused && place.cursor !== undefined) {
        this.log.error('the upstream refuses the cursor of the events; reading from the start again');
        await this.cursors.keep(this.database, { ...held, cursor: null });
      }
      throw error;
    }
  }

  private async store(held: HeldCursor, page: EventsPage): Promise<void> {
    const origin = { trust: 'reconciled', subscriptionId: null, requestId: null } as const;
    const received = page.events.map((event) => ({ ...event, ...origin }));
    const { insertions, news } = await this.database.transaction(async (tx) => {
      const result = await insertEvents(tx, received, this.sinks);
      await this.cursors.keep(tx, held);
      return result;
    });
    received.forEach(({ id, type }, index) => {
      const insertion = insertions[index]!;
      if (insertion === 'conflict') this.log.warn({ eventId: id }, CONFLICT);
      if (insertion === 'repeated') return;
      this.metrics.event(type, insertion === 'stored' ? 'reconciled' : insertion);
    });
    const fields = { events: news.length };
    const told = 'stored events, or content of events, that no webhook delivered';
    if (news.length > 0) this.log.info(fields, told);
    this.notices.announce(news);
  }
}
