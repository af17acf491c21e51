import { EventEmitter, on } from 'node:events';
import { hostname } from 'node:os';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { Default } from '../../config/default.js';
import { Health, type Readiness } from '../../telemetry/health.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { DURATION_BUCKETS_SECONDS, Metrics } from '../../telemetry/metrics.js';
import type { Attention } from './attention/attention.js';
import { findAttention } from './attention/find-attention.js';
import { DashboardSampler, type DashboardSample } from './dashboard-sample.js';
import { OUTCOMES } from './outcomes.js';
import { stateOf, type OverallState } from './overall-state.js';

const INTERVAL_MS = 2_000;
const HISTORY_MAX = 900; // half an hour

/** The state at the moment of a message. */
interface Present {
  readonly readiness: Readiness;
  readonly state: OverallState;
  readonly attention: readonly Attention[];
}

/** A message to a page: first the past half hour, then each interval as it ends. */
export type DashboardMessage =
  | ({
      readonly event: 'history';
      readonly replica: string;
      readonly startedAt: number;
      readonly intervalMs: number;
      /** Upper bounds of the buckets of each latency, in seconds. */
      readonly bucketsSeconds: readonly number[];
      readonly outcomes: typeof OUTCOMES;
      readonly samples: readonly DashboardSample[];
    } & Present)
  | ({ readonly event: 'sample'; readonly sample: DashboardSample } & Present);

/**
 * The activity of this replica, kept for half an hour so that a page that opens shows the past too. A sample is taken
 * whether or not a page is open: it costs a fraction of a millisecond.
 */
@Injectable()
export class DashboardFeed implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sampler: DashboardSampler;
  private readonly samples: DashboardSample[] = [];
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  private readonly startedAt: number;
  private closed = false;
  private loop: Loop | undefined;

  constructor(
    metrics: Metrics,
    private readonly health: Health,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.startedAt = now();
    this.sampler = new DashboardSampler(metrics, now);
  }

  onApplicationBootstrap(): void {
    this.loop = every(
      INTERVAL_MS,
      () => this.tick(),
      (error) => this.log.error({ err: error }, 'the dashboard cannot be sampled'),
    );
  }

  /** Messages until the consumer stops reading or {@link close} is called. */
  async *follow(): AsyncGenerator<DashboardMessage> {
    if (this.closed) return;
    const live = on(this.emitter, 'message', { close: ['close'] });
    yield {
      event: 'history',
      replica: hostname(),
      startedAt: this.startedAt,
      intervalMs: INTERVAL_MS,
      bucketsSeconds: DURATION_BUCKETS_SECONDS,
      outcomes: OUTCOMES,
      samples: this.samples,
      ...this.present(await this.health.readiness()),
    };
    for await (const [message] of live) yield message as DashboardMessage;
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
    this.samples.push(sample);
    if (this.samples.length > HISTORY_MAX) this.samples.shift();
    if (this.emitter.listenerCount('message') === 0) return;
    const message: DashboardMessage = { event: 'sample', sample, ...this.present(readiness) };
    this.emitter.emit('message', message);
  }

  private present(readiness: Readiness): Present {
    const { samples, startedAt } = this;
    return {
      readiness,
      state: stateOf(readiness.status, samples),
      attention: findAttention({ readiness, samples, startedAt, now: this.now() }),
    };
  }
}

function failingOf({ checks }: Readiness): string[] {
  return Object.keys(checks).filter((name) => checks[name]!.state !== 'up');
}
