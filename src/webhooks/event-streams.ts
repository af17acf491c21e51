import { PassThrough } from 'node:stream';
import type { EndUser } from '../auth/end-user.js';
import { BffError } from '../errors/bff-error.js';
import type { HirerAccess } from '../hirer-access/hirer-access.js';
import type { Log } from '../ops/log.js';
import type { EventNotices, HirersConcerned } from './event-notices.js';
import type { StreamedEvent, StreamedEvents } from './streamed-events.js';

const HEARTBEAT_MS = 15_000;
const STREAMS_PER_USER_MAX = 10;
const RETRY_AFTER_SECONDS = 30;

/** Sends the events of their hirers to browsers while they happen. */
export class EventStreams {
  private readonly open = new Set<OpenStream>();

  constructor(
    private readonly events: StreamedEvents,
    private readonly access: HirerAccess,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
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
   * @throws BffError `rate_limited` when the user has too many streams open
   */
  async start(user: EndUser, lastEventId: string | undefined): Promise<PassThrough> {
    const own = [...this.open].filter((stream) => stream.userId === user.userId);
    if (own.length >= STREAMS_PER_USER_MAX)
      throw new BffError('rate_limited', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const hirers = await this.hirersOf(user);
    const from = await this.events.placeAfter(lastEventId, hirers);
    const stream = new OpenStream(user, from, this.events, () => this.hirersOf(user), this.log, this.now);
    this.open.add(stream);
    stream.body.once('close', () => this.open.delete(stream));
    stream.wake();
    return stream.body;
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

  constructor(
    private readonly user: EndUser,
    private place: number,
    private readonly events: StreamedEvents,
    private readonly hirersNow: () => Promise<readonly string[]>,
    private readonly log: Log,
    private readonly now: () => number,
  ) {
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS).unref();
    this.body.once('close', () => clearInterval(this.heartbeat));
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

  private beat(): void {
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
    } catch (err) {
      this.log.warn({ err, user: this.userId }, 'an event stream ends: it cannot be read on');
      this.end();
    }
  }

  private async send({ id, data }: StreamedEvent): Promise<void> {
    if (!this.body.writable || this.body.write(`id: ${id}\ndata: ${data}\n\n`)) return;
    await new Promise<void>((resolve) => {
      this.body.once('drain', resolve);
      this.body.once('close', resolve);
    });
  }
}
