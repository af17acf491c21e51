import { PassThrough } from 'node:stream';
import type { EndUser } from '../../http/end-user.js';
import { BffError } from '../../errors/bff-error.js';
import type { HirerAccess } from '../../hirer-access/hirer-access.js';
import type { Log } from '../../telemetry/log.js';
import type { EventNotices, HirersConcerned } from '../store/event-notices.js';
import type { StreamedEvent, StreamedEvents } from './streamed-events.js';

const HEARTBEAT_MS = 15_000;
const STREAMS_PER_USER_MAX = 10;
const STREAMS_MAX = 2_000;
const RETRY_AFTER_SECONDS = 30;
/** A browser that has taken nothing for so many heartbeats is cut off; it connects again and goes on where it was. */
const STALLED_BEATS_MAX = 4;

/**
 * Sends the events of their hirers to browsers while they happen: to ten streams of a user and 2,000 of all users at
 * most, those being opened included.
 */
export class EventStreams {
  private readonly open = new Set<OpenStream>();
  /** Streams of each user who has any. */
  private readonly places = new Map<string, number>();
  private placesTaken = 0;

  constructor(
    private readonly events: StreamedEvents,
    private readonly access: HirerAccess,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
    private readonly heartbeatMs = HEARTBEAT_MS,
  ) {}

  /** Wakes the streams that new events concern. */
  follow(notices: EventNotices): void {
    notices.listen((hirers) => {
      for (const stream of this.open) stream.wake(hirers);
    });
  }

  /**
   * A stream for one user, in the form of server-sent events.
   * @param lastEventId the last event the browser has; the stream goes on after it
   * @throws BffError `rate_limited` when the user has too many streams open; `unavailable` when this replica has
   */
  async start(user: EndUser, lastEventId: string | undefined): Promise<PassThrough> {
    const release = this.takePlace(user.userId);
    try {
      const hirers = await this.hirersOf(user);
      const from = await this.events.placeAfter(lastEventId, hirers);
      const stream = new OpenStream(
        user,
        from,
        this.events,
        () => this.hirersOf(user),
        this.log,
        this.now,
        this.heartbeatMs,
      );
      this.open.add(stream);
      stream.body.once('close', () => {
        this.open.delete(stream);
        release();
      });
      stream.wake();
      return stream.body;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Gives what returns the place. */
  private takePlace(userId: string): () => void {
    const own = this.places.get(userId) ?? 0;
    if (own >= STREAMS_PER_USER_MAX) {
      throw new BffError('rate_limited', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (this.placesTaken >= STREAMS_MAX) {
      throw new BffError('unavailable', {
        message: 'too many event streams are open',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.placesTaken += 1;
    this.places.set(userId, own + 1);
    return () => {
      this.placesTaken -= 1;
      const left = this.places.get(userId)! - 1;
      if (left > 0) this.places.set(userId, left);
      else this.places.delete(userId);
    };
  }

  /** Ends every stream: browsers reconnect, elsewhere. */
  close(): void {
    for (const stream of this.open) stream.end();
  }

  private async hirersOf(user: EndUser): Promise<readonly string[]> {
    return (await this.access.list(user)).map(({ hirerId }) => hirerId);
  }
}

/**
 * One stream. Memberships are asked for before each reading, so that what a user may not see any more is not read; it
 * ends with the user's token. It reads on only as fast as the browser takes.
 */
class OpenStream {
  readonly body = new PassThrough();
  private readonly heartbeat: NodeJS.Timeout;
  private hirers: readonly string[] = [];
  private reading = false;
  private readAgain = false;
  private stalledBeats = 0;

  constructor(
    private readonly user: EndUser,
    private place: number,
    private readonly events: StreamedEvents,
    private readonly hirersNow: () => Promise<readonly string[]>,
    private readonly log: Log,
    private readonly now: () => number,
    heartbeatMs: number,
  ) {
    this.heartbeat = setInterval(() => this.beat(), heartbeatMs).unref();
    this.body.once('close', () => clearInterval(this.heartbeat));
    this.body.on('drain', () => (this.stalledBeats = 0));
    this.body.write(': open\n\n');
  }

  get userId(): string {
    return this.user.userId;
  }

  /** Reads what is new, unless it concerns none of the user's hirers. */
  wake(concerned?: HirersConcerned): void {
    if (concerned && !this.hirers.some((hirerId) => concerned.has(hirerId))) return;
    this.readAgain = true;
    if (this.reading) return;
    this.reading = true;
    void this.read().finally(() => {
      this.reading = false;
      if (this.readAgain && this.body.writable) this.wake();
    });
  }

  end(): void {
    this.body.end();
  }

  /** Nothing is added to what a browser does not take. */
  private beat(): void {
    this.stalledBeats = this.body.writableNeedDrain ? this.stalledBeats + 1 : 0;
    if (this.stalledBeats > 0) {
      const isOver = this.stalledBeats >= STALLED_BEATS_MAX || this.now() >= this.user.expiresAt;
      if (isOver) this.body.destroy();
      return;
    }
    this.body.write(': still here\n\n');
    this.wake();
  }

  private async read(): Promise<void> {
    try {
      while (this.readAgain && this.body.writable) {
        if (this.now() >= this.user.expiresAt) return this.end();
        this.readAgain = false;
        this.hirers = await this.hirersNow();
        const page = await this.events.after(this.place, this.hirers);
        for (const event of page.events) await this.send(event);
        this.place = page.place;
        this.readAgain ||= page.hasMore;
      }
    } catch (error) {
      this.log.warn({ err: error, user: this.userId }, 'an event stream ends: it cannot be read on');
      this.end();
    }
  }

  private async send({ id, data }: StreamedEvent): Promise<void> {
    if (!this.body.writable || this.body.write(`id: ${id}\ndata: ${data}\n\n`)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.body.off('drain', go).off('close', go);
        resolve();
      };
      this.body.on('drain', go).on('close', go);
    });
  }
}
