import { createClient, ErrorReply } from 'redis';
import { every, type Loop } from '../../concurrency/every.js';
import { answerWithin, LATE, within } from '../../concurrency/within.js';
import { CACHE_DEADLINE_MS } from '../shared-cache.js';

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MS_MAX = 5_000;
const PINGS_IN_DOUBT = 3;
const PROBE_INTERVAL_MS = 1_000;
const PROBES_UNTIL_RECONNECT = 5;
const PROBE_KEY = 'bff:probe';
/** Codes with which a server says that it cannot serve: another one does, or it does later. */
const UNFIT = /\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS)\b/;

/** The driver's client. */
export type RedisClient = ReturnType<typeof openClient>;

/** How a command ended: answered, failed or not answered in time, or not sent because Redis is down. */
export type RedisOutcome = 'answered' | 'failed' | 'skipped';

/** Receives the changes of state and the errors of a {@link RedisConnection}. */
export interface RedisObserver {
  /** Redis went down, for the given reason, or is up again. */
  onChange(isUp: boolean, fault?: unknown): void;
  /** Redis answered a command with an error. */
  onRefusal(fault: ErrorReply): void;
  /** A command that was sent at that time of `performance.now()` was answered, or why it was not. */
  onEnd?(startedAt: number, fault?: Error): void;
}

/**
 * A connection to Redis whose silence delays no request by more than 100 ms, however many commands the request has: one
 * that is not answered by then has failed, and no other is sent until a ping is answered. After three pings without an
 * answer, when the connection breaks, or when the server says that it cannot serve, as a replica does after a failover,
 * Redis is down, and asked once a second whether it takes a write. A connection that stays silent for five of these is
 * replaced, one that is refused at once.
 */
export class RedisConnection {
  private current: RedisClient;
  private state: 'connecting' | 'up' | 'doubtful' | 'down' = 'connecting';
  private fault: unknown;
  private probes = 0;
  private prober: Loop | undefined;
  private observer: RedisObserver | undefined;
  private readonly settled = Promise.withResolvers<void>();
  private readonly outcomes: Record<RedisOutcome, number> = { answered: 0, failed: 0, skipped: 0 };

  constructor(private readonly url: URL) {
    this.current = this.connect();
  }

  /** The client to build a command with; commands are sent through {@link ask}. */
  get client(): RedisClient {
    return this.current;
  }

  /** Whether Redis answers, as far as known: one late answer leaves that open. */
  get isUp(): boolean {
    return this.state === 'up' || this.state === 'doubtful';
  }

  /** Reports every change to `observer` from now on, and immediately if Redis is already down. */
  observe(observer: RedisObserver): void {
    this.observer = observer;
    if (this.state === 'down') observer.onChange(false, this.fault);
  }

  /** Commands since the last call, by outcome. */
  takeOutcomes(): Record<RedisOutcome, number> {
    const taken = { ...this.outcomes };
    Object.assign(this.outcomes, { answered: 0, failed: 0, skipped: 0 });
    return taken;
  }

  /** Resolves once it is known whether Redis answers, after two seconds at most. */
  async opened(): Promise<void> {
    const settled = await within(CONNECT_TIMEOUT_MS, this.settled.promise);
    if (settled === LATE) this.goDown(new Error('no connection yet'));
  }

  /** The answer to a command; undefined when there is none within 100 ms. Never rejects. */
  async ask<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    if (this.state === 'up') return this.attempt(command);
    this.outcomes.skipped += 1;
    return undefined;
  }

  /** Rejects when Redis is down, or does not answer within 100 ms. */
  async ping(): Promise<void> {
    if (this.state === 'down') throw this.fault;
    await this.withinDeadline(this.current.ping());
  }

  close(): void {
    this.state = 'down';
    void this.prober?.stop();
    this.current.destroy();
  }

  private connect(): RedisClient {
    const client = openClient(this.url);
    const isCurrent = (): boolean => client === this.current;
    client.on('ready', () => isCurrent() && void this.probe().catch((fault: unknown) => this.goDown(fault)));
    client.on('error', (fault: unknown) => isCurrent() && this.goDown(fault));
    client.connect().catch(() => undefined); // also emitted as `error`
    return client;
  }

  private async attempt<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await this.withinDeadline(command(this.current));
      this.outcomes.answered += 1;
      return answer;
    } catch (error) {
      this.outcomes.failed += 1;
      this.judge(error);
      return undefined;
    }
  }

  /** Rejects when the answer is late. */
  private async withinDeadline<T>(answer: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await answerWithin(CACHE_DEADLINE_MS, answer);
      if (result === LATE) throw new Error(`Redis did not answer within ${CACHE_DEADLINE_MS} ms`);
      this.observer?.onEnd?.(startedAt);
      return result;
    } catch (error) {
      this.observer?.onEnd?.(startedAt, error as Error);
      throw error;
    }
  }

  private judge(fault: unknown): void {
    if (isUnfit(fault)) this.goDown(fault);
    else if (fault instanceof ErrorReply) this.observer?.onRefusal(fault);
    else if (!this.current.isReady) this.goDown(fault);
    else if (this.state === 'up') void this.doubt(fault);
  }

  /** One late answer is no outage yet, but the next command might wait as long. */
  private async doubt(fault: unknown): Promise<void> {
    this.state = 'doubtful';
    const isInDoubt = (): boolean => this.state === 'doubtful';
    for (let pings = 0; pings < PINGS_IN_DOUBT && isInDoubt(); pings += 1) {
      const answer = await this.withinDeadline(this.current.ping()).catch(() => LATE);
      if (answer !== LATE && isInDoubt()) this.state = 'up';
    }
    if (isInDoubt()) this.goDown(fault);
  }

  private goUp(): void {
    this.settled.resolve();
    void this.prober?.stop();
    if (this.state === 'down') this.observer?.onChange(true);
    this.state = 'up';
  }

  private goDown(fault: unknown): void {
    this.settled.resolve();
    this.fault = fault;
    if (this.state === 'down') return;
    this.state = 'down';
    this.probes = 0;
    this.prober = every(
      PROBE_INTERVAL_MS,
      () => this.probe(),
      (reason) => this.onFailedProbe(reason),
    );
    this.observer?.onChange(false, fault);
  }

  /** Only a write tells the primary from a replica. */
  private async probe(): Promise<void> {
    const { current } = this;
    try {
      await this.withinDeadline(current.set(PROBE_KEY, '1', { PX: PROBE_INTERVAL_MS }));
    } catch (error) {
      if (!(error instanceof ErrorReply) || isUnfit(error)) throw error;
    }
    if (current === this.current) this.goUp();
  }

  private onFailedProbe(fault: unknown): void {
    this.probes += 1;
    if (isUnfit(fault) || this.probes % PROBES_UNTIL_RECONNECT === 0) this.replace();
  }

  /** The name may lead elsewhere by now; and the system takes many minutes to notice a path that drops everything. */
  private replace(): void {
    const silent = this.current;
    this.current = this.connect();
    silent.destroy();
  }
}

function isUnfit(fault: unknown): boolean {
  return fault instanceof ErrorReply && UNFIT.test(fault.message);
}

function openClient(url: URL) {
  return createClient({
    url: url.href,
    disableOfflineQueue: true,
    maintNotifications: 'disabled', // of Redis Enterprise; each connection would ask for the address once more
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, RECONNECT_MS_MAX),
    },
  });
}
