import { EventEmitter, on } from 'node:events';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { KEYS_TIMEOUT_MS } from '../../auth/keys/key-set-endpoint.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { MEMBERSHIPS_TIMEOUT_MS } from '../../hirer-access/sources/http-memberships.js';
import { Health, type Readiness } from '../../telemetry/health.js';
import { Database } from '../../storage/database.js';
import { CACHE_DEADLINE_MS } from '../../storage/shared-cache.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { DURATION_BUCKETS_SECONDS, Metrics } from '../../telemetry/metrics.js';
import type { Attention } from './attention/attention.js';
import { findAttention } from './attention/find-attention.js';
import type { DashboardSample } from './dashboard-sample.js';
import { DashboardSampler } from './dashboard-sampler.js';
import { Fleet } from './fleet/fleet.js';
import type { FleetView, Replica } from './fleet/fleet-view.js';
import { SLOT_MS, slotOf } from './fleet/sum-samples.js';
import { OUTCOMES } from './outcomes.js';
import { stateOf } from './overall-state.js';

/** Settings that {@link DashboardFeed} reads. */
type FeedSettings = Pick<Config, 'UPSTREAM_TIMEOUT_MS' | 'ISSUER_TIMEOUT_MS' | 'EVENT_SINK_TIMEOUT_MS'>;

const INTERVAL_MS = 2_000;
const HISTORY_MAX = 900; // half an hour
const MINUTE_MS = 60_000;

/** The state at the moment of a message. */
interface Present {
  readonly readiness: Readiness;
  readonly state: Replica['state'];
  readonly attention: readonly Attention[];
  /** This one first. */
  readonly replicas: readonly Replica[];
}

/** A message to a page: first the past half hour, then each interval as it ends. */
export type DashboardMessage =
  | ({
      readonly event: 'history';
      /** What is shown: the id of a replica, or `all`. */
      readonly shown: string;
      readonly replica: string;
      /** Undefined for several. */
      readonly startedAt: number | undefined;
      readonly version: string;
      /** The longest that a call to a dependency may take, by its name in `/readyz`. */
      readonly limitsMs: Readonly<Record<string, number>>;
      readonly intervalMs: number;
      /** Upper bounds of the buckets of each latency, in seconds. */
      readonly bucketsSeconds: readonly number[];
      readonly outcomes: typeof OUTCOMES;
      readonly samples: readonly DashboardSample[];
    } & Present)
  | ({ readonly event: 'sample'; readonly sample: DashboardSample | null } & Present);

/** The messages of an emitter. */
type Live<T> = AsyncIterable<readonly [T]> & { return(): Promise<unknown> };

/** Whose activity is shown, and how a sentence names it; `this replica` unless it is said. */
type Source = FleetView & { readonly intervalMs: number; readonly subject?: string };

/**
 * The activity of this replica, kept for half an hour so that a page that opens shows the past too. A sample is taken
 * whether or not a page is open: it costs a fraction of a millisecond.
 */
@Injectable()
export class DashboardFeed implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sampler: DashboardSampler;
  private readonly samples: DashboardSample[] = [];
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  private closed = false;
  private loop: Loop | undefined;

  constructor(
    metrics: Metrics,
    private readonly health: Health,
    private readonly fleet: Fleet,
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
    @Inject(CONFIG) private readonly config: FeedSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.sampler = new DashboardSampler(metrics, now);
  }

  onApplicationBootstrap(): void {
    this.loop = every(
      INTERVAL_MS,
      () => this.tick(),
      (error) => this.log.error({ err: error }, 'the dashboard cannot be sampled'),
    );
  }

  /**
   * Messages until the consumer stops reading or {@link close} is called; of another replica or of all, until that one
   * is not listed any more.
   * @param which the id of a replica, or `all`; one that is not known is answered with this one
   */
  async *follow(which?: string): AsyncGenerator<DashboardMessage> {
    if (this.closed) return;
    const view = this.fleet.view(which);
    if (which !== undefined && view) return yield* this.followOthers(which, view);
    const readiness = await this.health.readiness();
    if (this.closed) return;
    const live = this.listen<DashboardMessage>('message');
    try {
      yield this.begin(this.fleet.self.id, this.own(readiness));
      for await (const [message] of live) yield message;
    } finally {
      await live.return(); // a page that leaves before its first message has not begun to read
    }
  }

  /** Ends every stream: a listener cannot close while one is open. */
  close(): void {
    this.closed = true;
    this.emitter.emit('close');
  }

  onApplicationShutdown(): Promise<void> | undefined {
    this.close();
    return this.loop?.stop();
  }

  private async tick(): Promise<void> {
    const readiness = await this.health.readiness();
    const sample = await this.sampler.take(failingOf(readiness));
    const isNextSlot = slotOf(sample.time) !== slotOf(this.samples.at(-1)?.time ?? 0);
    this.samples.push(sample);
    if (this.samples.length > HISTORY_MAX) this.samples.shift();
    const own = this.own(readiness);
    this.fleet.note(sample, readiness, own.state);
    if (isNextSlot) this.emitter.emit('slot', sample.time);
    if (this.emitter.listenerCount('message') === 0) return;
    const message: DashboardMessage = { event: 'sample', sample, ...this.present(own) };
    this.emitter.emit('message', message);
  }

  private async *followOthers(which: string, first: FleetView): AsyncGenerator<DashboardMessage, void> {
    const live = this.listen<number>('slot');
    const source = (view: FleetView): Source => ({
      ...view,
      intervalMs: SLOT_MS,
      subject: which === 'all' ? 'one of the replicas' : `replica ${view.name}`,
    });
    try {
      yield this.begin(which, source(first));
      for await (const [now] of live) {
        const view = this.fleet.view(which, now);
        if (!view) return;
        const sample = view.samples.at(-1) ?? null;
        yield { event: 'sample', sample, ...this.present(source(view)) };
      }
    } finally {
      await live.return();
    }
  }

  /** What is emitted from now on, queued until it is read; to be returned by who ends before it does. */
  private listen<T>(event: 'message' | 'slot'): Live<T> {
    return on(this.emitter, event, { close: ['close'] }) as unknown as Live<T>;
  }

  private begin(shown: string, source: Source): DashboardMessage {
    const { name, startedAt, version, intervalMs, samples } = source;
    return {
      event: 'history',
      shown,
      replica: name,
      startedAt,
      version,
      limitsMs: limitsOf(this.config, this.database),
      intervalMs,
      bucketsSeconds: DURATION_BUCKETS_SECONDS,
      outcomes: OUTCOMES,
      samples,
      ...this.present(source),
    };
  }

  private own(readiness: Readiness): Source {
    const { samples } = this;
    const { name, version, startedAt } = this.fleet.self;
    const state = stateOf(readiness.status, samples);
    return { name, version, startedAt, state, readiness, samples, intervalMs: INTERVAL_MS };
  }

  private present({ readiness, state, samples, startedAt, intervalMs, subject }: Source): Present {
    const perMinute = MINUTE_MS / intervalMs;
    const { replicas } = this.fleet;
    const gone = replicas.filter((replica) => replica.state === 'gone').map(({ name }) => name);
    const since = state === 'gone' ? undefined : startedAt;
    const facts = { readiness, samples, perMinute, startedAt: since, now: this.now(), gone, subject };
    return { readiness, state, attention: findAttention(facts), replicas };
  }
}

function failingOf({ checks }: Readiness): string[] {
  return Object.keys(checks).filter((name) => checks[name]!.state !== 'up');
}

/** The embedded database ends no statement. */
function limitsOf(
  config: FeedSettings,
  { statementMsMax }: Pick<Database, 'statementMsMax'>,
): Readonly<Record<string, number>> {
  return {
    upstream: config.UPSTREAM_TIMEOUT_MS,
    issuer: config.ISSUER_TIMEOUT_MS,
    'event-sink': config.EVENT_SINK_TIMEOUT_MS,
    'membership-service': MEMBERSHIPS_TIMEOUT_MS,
    'end-user-keys': KEYS_TIMEOUT_MS,
    cache: CACHE_DEADLINE_MS,
    ...(statementMsMax !== undefined && { database: statementMsMax }),
  };
}
