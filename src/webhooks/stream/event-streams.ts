import { PassThrough } from 'node:stream';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { every, type Loop } from '../../concurrency/every.js';
import { UserBudget } from '../../concurrency/user-budget.js';
import { LATE, within } from '../../concurrency/within.js';
import { Default } from '../../config/default.js';
import { BffError } from '../../errors/bff-error.js';
import { HirerAccess } from '../../hirer-access/hirer-access.port.js';
import type { EndUser } from '../../http/end-user.js';
import type { ListenersAdapter } from '../../http/incoming/listeners-adapter.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { RequestLimit } from '../../token/rate-limits.js';
import { EventNotices, type HirersConcerned } from '../store/event-notices.js';
import { StreamedEvents } from './streamed-events.js';

const HEARTBEAT_MS = 15_000;
const STREAMS_PER_USER_MAX = 10;
const STREAMS_MAX = 2_000;
const RETRY_AFTER_SECONDS = 30;
/** A browser that has read nothing for this many heartbeats is disconnected; it reconnects and resumes. */
const STALLED_BEATS_MAX = 4;

/** Event streams, as many as a user's budget allows, those being opened included. */
@Injectable()
export class EventStreams implements OnApplicationBootstrap {
  private readonly open = new Set<OpenStream>();
  private isClosed = false;
  private readonly budget = new UserBudget({
    perUserMax: STREAMS_PER_USER_MAX,
    totalMax: STREAMS_MAX,
    what: 'event streams',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

  constructor(
    private readonly events: StreamedEvents,
    @Inject(HirerAccess) private readonly access: HirerAccess,
    private readonly notices: EventNotices,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
    @Default() private readonly heartbeatMs = HEARTBEAT_MS,
  ) {}

  onApplicationBootstrap(): void {
    this.notices.listen((hirers) => {
      for (const stream of this.open) stream.wake(hirers);
    });
  }

  /**
   * @param lastEventId the last event the browser has; the stream continues after it
   * @throws BffError `unauthenticated` when the user's token has expired, `rate_limited` when the user has too many streams open, `unavailable` when this replica has
   */
  async start(user: EndUser, lastEventId: string | undefined): Promise<PassThrough> {
    if (this.now() >= user.expiresAt) throw new BffError('unauthenticated'); // within the clock skew
    this.budget.take(user.userId);
    try {
      const hirersNow = async (): Promise<readonly string[]> => [...(await this.access.list(user)).keys()];
      const place = await this.events.placeAfter(lastEventId, await hirersNow());
      const { events, log, now, heartbeatMs } = this;
      const stream = new OpenStream(user, place, events, hirersNow, log, now, heartbeatMs);
      stream.body.once('close', () => {
        this.open.delete(stream);
        this.budget.release(user.userId);
      });
      this.open.add(stream);
      if (this.isClosed) stream.end();
      stream.wake();
      return stream.body;
    } catch (error) {
      this.budget.release(user.userId);
      throw error;
    }
  }

  close(): void {
    this.isClosed = true;
    for (const stream of this.open) stream.end();
  }
}

/**
 * Memberships are read before each page, so that a user receives nothing of a hirer after the membership ended. It ends
 * with the user's token, and reads only as fast as the browser does.
 */
class OpenStream {
  readonly body = new PassThrough();
  private readonly reader: Loop;
  private hirers: readonly string[] = [];

  constructor(
    private readonly user: EndUser,
    private place: number,
    private readonly events: StreamedEvents,
    private readonly hirersNow: () => Promise<readonly string[]>,
    private readonly log: Log,
    private readonly now: () => number,
    private readonly heartbeatMs: number,
  ) {
    const fail = (err: unknown): void => this.fail(err);
    this.reader = every(heartbeatMs, () => this.read(), fail);
    this.body.once('close', () => void this.reader.stop());
    this.body.write(': open\n\n');
  }

  /** Reads new events, unless they concern none of the user's hirers. */
  wake(concerned?: HirersConcerned): void {
    if (concerned && !this.hirers.some((hirerId) => concerned.has(hirerId))) return;
    this.reader.wake();
  }

  end(): void {
    this.body.end();
  }

  private async read(): Promise<void> {
    for (let hasMore = true; hasMore && this.body.writable;) {
      if (this.now() >= this.user.expiresAt) return this.end();
      this.hirers = await this.hirersNow();
      const page = await this.events.after(this.place, this.hirers);
      for (const { id, hirerId, data } of page.events) {
        if (!this.hirers.includes(hirerId)) continue;
        if (await this.send(`id: ${id}\ndata: ${data}\n\n`)) this.hirers = await this.hirersNow();
      }
      this.place = page.place;
      hasMore = page.hasMore;
    }
    await this.send(': still here\n\n');
  }

  private fail(err: unknown): void {
    this.log.warn({ err, user: this.user.userId }, 'an event stream ends: its events cannot be read');
    this.end();
  }

  /** True if the browser was waited for. */
  private async send(text: string): Promise<boolean> {
    if (!this.body.writable || this.body.write(text)) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.body.on('drain', resolve).on('close', resolve);
    if ((await within(STALLED_BEATS_MAX * this.heartbeatMs, promise)) === LATE) this.body.destroy();
    this.body.off('drain', resolve).off('close', resolve);
    return true;
  }
}

/** It has no `HEAD`, which would open a stream without a reader; a Nest controller cannot omit it. */
@Injectable()
export class EventStreamRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<ListenersAdapter>,
    private readonly streams: EventStreams,
    private readonly requestLimit: RequestLimit,
  ) {}

  onModuleInit(): void {
    const { publicListener } = this.host.httpAdapter;
    /** Events of the user's own hirers, as they come in. */
    publicListener.route({
      method: 'GET',
      url: '/events/stream',
      exposeHeadRoute: false,
      config: { access: 'end-user' },
      handler: (request, reply) => this.answer(request, reply),
    });
    // an open stream would keep the listener from closing; browsers reconnect to another replica
    publicListener.addHook('preClose', (done) => {
      this.streams.close();
      done();
    });
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { endUser, cancellation } = request.context;
    const detail = 'Machines cannot open event streams. Use EVENT_SINK_URL instead.';
    if (endUser.isMachine) throw new BffError('scope_forbidden', { detail });
    await this.requestLimit.admit(endUser);
    const lastEventId = request.headers['last-event-id'];
    const body = await this.streams.start(endUser, lastEventId?.toString());
    cancellation.on('abort', () => body.destroy());
    if (cancellation.cancelled) body.destroy();
    // neither a proxy in front nor what compresses answers may hold the stream back
    reply.header('x-accel-buffering', 'no').header('cache-control', 'no-store, no-transform');
    return reply.type('text/event-stream').send(body);
  }
}
