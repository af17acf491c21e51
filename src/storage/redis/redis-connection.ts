import { createClient, ErrorReply } from 'redis';
import { LATE, within } from '../../concurrency/within.js';
import { CACHE_DEADLINE_MS } from '../shared-cache.js';

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MS_MAX = 1_000;
/** The client asks an idle server whether it is there, and replaces a connection that is silent for longer. */
const PING_MS = 1_000;
const SILENCE_MS_MAX = 2_500;
/** After a late answer, how long a further one may take before Redis is down. */
const SLOW_MS = 400;
/** How long a server that cannot serve is left alone. */
const PAUSE_MS = 1_000;
const NO_ANSWER = `Redis did not answer within ${CACHE_DEADLINE_MS} ms`;
const PROBE_KEY = 'bff:probe';
/** Codes with which a server says that it cannot serve: another one does, or it does later. */
const UNFIT = /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS)\b/;

/** The driver's client. */
export type RedisClient = ReturnType<typeof openClient>;

/** Receives the changes of state and the errors of a {@link RedisConnection}. */
export interface RedisObserver {
  /** Redis went down, for the given reason, or is up again. */
  onChange(isUp: boolean, fault?: unknown): void;
  /** Redis answered a command with an error. */
  onRefusal(fault: ErrorReply): void;
  /** A command was answered, or why it was not; an attempt to reach Redis that fails is one, too. */
  onEnd?(fault?: Error): void;
}

/**
 * A connection to Redis whose silence delays no request by more than 100 ms, however many commands the request has. After
 * a command without an answer no other is sent until a write was taken: only that tells the primary from a replica. The
 * client itself detects a silent connection and makes a new one; a server that says that it cannot serve, as a replica
 * does after a failover, is left for whatever has its address a second later.
 */
export class RedisConnection {
  readonly client: RedisClient;
  /** True if Redis is known to answer; one late answer leaves that open. */
  isUp = false;
  /** Why it is not up. */
  private fault: unknown = new Error('no connection yet');
  /** While a write is asked for, no command is sent. */
  private isProbing = false;
  private isClosed = false;
  private pause: NodeJS.Timeout | undefined;
  private observer: RedisObserver | undefined;
  private readonly settled = Promise.withResolvers<void>();

  /** @param deadlineMs of a command */
  constructor(
    url: URL,
    private readonly deadlineMs = CACHE_DEADLINE_MS,
  ) {
    this.client = openClient(url);
    this.client.on('ready', () => void this.probe());
    this.client.on('error', (fault: Error) => this.goDown(fault));
    this.connect();
  }

  /** Reports every change to `observer` from now on, and immediately if Redis is already down. */
  observe(observer: RedisObserver): void {
    this.observer = observer;
    if (!this.isUp) observer.onChange(false, this.fault);
  }

  /** Resolves once it is known whether Redis answers, after two seconds at most. */
  async opened(): Promise<void> {
    await within(CONNECT_TIMEOUT_MS, this.settled.promise);
  }

  /** The answer to a command; undefined when there is none within 100 ms. Never rejects. */
  async ask<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    if (!this.isUp || this.isProbing) return undefined;
    try {
      return await this.inTime(command(this.client));
    } catch (error) {
      if (isUnfit(error)) this.leave(error);
      else if (error instanceof ErrorReply) this.observer?.onRefusal(error);
      else if (this.isUp) void this.probe();
      return undefined;
    }
  }

  /** Rejects when Redis is down, or does not answer within 100 ms. */
  async ping(): Promise<void> {
    if (!this.isUp) throw this.fault;
    await this.inTime(this.client.ping());
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.pause);
    if (this.client.isOpen) this.client.destroy();
  }

  private connect(): void {
    this.client.connect().catch(() => undefined); // also emitted as `error`
  }

  /** Rejects when the answer is late. */
  private async inTime<T>(answer: Promise<T>): Promise<T> {
    try {
      const result = await within(this.deadlineMs, answer);
      if (result === LATE) throw new Error(NO_ANSWER);
      this.observer?.onEnd?.();
      return result;
    } catch (error) {
      this.observer?.onEnd?.(error as Error);
      throw error;
    }
  }

  /** Asks for a write, whose answer, however late, or the end of the connection tells whether Redis is up. */
  private async probe(): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    const slow = setTimeout(() => this.goDown(new Error(NO_ANSWER)), SLOW_MS).unref();
    try {
      await this.client.set(PROBE_KEY, '1', { PX: PAUSE_MS });
      this.goUp();
    } catch (error) {
      if (isUnfit(error)) this.leave(error);
      else if (error instanceof ErrorReply) this.goUp();
    } finally {
      clearTimeout(slow);
      this.isProbing = false;
    }
  }

  /** The name may lead elsewhere by now. */
  private leave(fault: Error): void {
    this.goDown(fault);
    if (!this.client.isOpen) return;
    this.client.destroy();
    this.pause = setTimeout(() => this.connect(), PAUSE_MS).unref();
  }

  private goUp(): void {
    if (this.isClosed) return;
    this.settled.resolve();
    this.observer?.onEnd?.();
    if (!this.isUp) this.observer?.onChange(true);
    this.isUp = true;
  }

  private goDown(fault: Error): void {
    if (this.isClosed) return;
    this.settled.resolve();
    this.observer?.onEnd?.(fault);
    this.fault = fault;
    if (this.isUp) this.observer?.onChange(false, fault);
    this.isUp = false;
  }
}

function isUnfit(fault: unknown): fault is ErrorReply {
  return fault instanceof ErrorReply && UNFIT.test(fault.message);
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
