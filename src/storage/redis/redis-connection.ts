import { createClient, ErrorReply } from 'redis';
import { LATE, within } from '../../concurrency/within.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import type { Log } from '../../telemetry/log.js';

/** Of a command: one that is answered later has no answer. */
const DEADLINE_MS = 100;
const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MS_MAX = 1_000;
/** The client asks an idle server whether it is there, and replaces a connection that is silent for longer. */
const PING_MS = 1_000;
const SILENCE_MS_MAX = 2_500;
/** How long a server that cannot serve is left alone. */
const PAUSE_MS = 1_000;
const REFUSALS_LOGGED_EVERY_MS = 60_000;
const PROBE_KEY = 'bff:probe';
/** Codes with which a server says that it cannot serve: another one does, or it does later. */
const UNFIT = /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS)\b/;

/** The driver's client. */
type RedisClient = ReturnType<typeof openClient>;

/**
 * A connection to Redis whose silence delays no request by more than 100 ms, however many commands the request has. After
 * a command without an answer no other is sent until a write was taken: only that tells the primary from a replica. The
 * client itself detects a silent connection and makes a new one; a server that says that it cannot serve, as a replica
 * does after a failover, is left for whatever has its address a second later.
 */
export class RedisConnection {
  readonly client: RedisClient;
  /** True if commands are sent: the server took a write, and has answered each command since. */
  isUp = false;
  private isClosed = false;
  private pause: NodeJS.Timeout | undefined;
  private refusalLoggedAt = -Infinity;
  private readonly settled = Promise.withResolvers<void>();

  /**
   * @param reports told of each command, refusals included, and of each attempt to connect
   * @param log receives what Redis refuses, at most once a minute
   * @param deadlineMs of a command
   */
  constructor(
    url: URL,
    private readonly reports: Omit<CallReports, 'fault'>,
    private readonly log?: Pick<Log, 'warn'>,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    this.client = openClient(url);
    this.client.on('ready', () => void this.probe());
    // of a connection that stands, it is the answer to a ping of the client
    this.client.on('error', (fault: Error) => (this.client.isReady ? this.refused(fault) : this.fail(fault)));
    this.connect();
  }

  /** Resolves once it is known whether Redis answers, after two seconds at most. */
  async opened(): Promise<void> {
    await within(CONNECT_TIMEOUT_MS, this.settled.promise);
  }

  /** The answer to a command; undefined when there is none within 100 ms. Never rejects. */
  async ask<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    if (!this.isUp) return undefined;
    try {
      const answer = await within(this.deadlineMs, command(this.client));
      if (answer !== LATE) {
        this.reports.succeeded();
        return answer;
      }
      const isFirst = this.isUp;
      this.fail(new Error(`Redis did not answer within ${this.deadlineMs} ms`));
      if (isFirst) void this.probe();
    } catch (error) {
      this.refused(error as Error);
    }
    return undefined;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.pause);
    if (this.client.isOpen) this.client.destroy();
  }

  private connect(): void {
    this.client.connect().catch(() => undefined); // also emitted as `error`
  }

  /** Asks for a write, whose answer, however late, tells whether Redis is up; where the connection ends, a new one is asked. */
  private async probe(): Promise<void> {
    try {
      await this.client.set(PROBE_KEY, '1', { PX: PAUSE_MS });
      this.reports.succeeded();
    } catch (error) {
      this.refused(error as Error);
      if (!(error instanceof ErrorReply) || UNFIT.test(error.message)) return;
    }
    this.isUp = !this.isClosed;
    this.settled.resolve();
  }

  /** A server that is full, or keeps a command from its user, serves what it can. */
  private refused(error: Error): void {
    if (!(error instanceof ErrorReply)) return this.fail(error);
    if (UNFIT.test(error.message)) return this.leave(error);
    this.reports.failed(error.message);
    if (performance.now() - this.refusalLoggedAt < REFUSALS_LOGGED_EVERY_MS) return;
    this.refusalLoggedAt = performance.now();
    this.log?.warn({ err: error }, 'Redis refuses a command: limits or tokens are not shared');
  }

  /** The name may lead elsewhere by now. */
  private leave(fault: Error): void {
    this.fail(fault);
    if (!this.client.isOpen) return;
    this.client.destroy();
    this.pause = setTimeout(() => this.connect(), PAUSE_MS).unref();
  }

  private fail(fault: Error): void {
    if (this.isClosed) return;
    this.isUp = false;
    this.settled.resolve();
    this.reports.failed(fault.message || (fault as NodeJS.ErrnoException).code || fault.name);
  }
}

function openClient(url: URL) {
  return createClient({
    url: url.href,
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    maintNotifications: 'disabled', // of Redis Enterprise; each connection would ask for the address once more
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS_MAX,
      reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, RECONNECT_MS_MAX),
    },
  });
}
