import { EventEmitter, on } from 'node:events';
import { hostname } from 'node:os';
import { DashboardSampler, type DashboardSample } from './dashboard-sample.js';
import type { Health, Readiness } from '../../telemetry/health.js';
import type { Metrics } from '../../telemetry/metrics.js';

const INTERVAL_MS = 2_000;
const HISTORY_MAX = 900; // half an hour

/** What a page is sent: first the past half hour, then each interval as it ends. */
export type DashboardMessage =
  | {
      readonly event: 'history';
      readonly replica: string;
      readonly startedAt: number;
      readonly intervalMs: number;
      readonly samples: readonly DashboardSample[];
      readonly readiness: Readiness;
    }
  | { readonly event: 'sample'; readonly sample: DashboardSample; readonly readiness: Readiness };

/**
 * What this replica did, kept for half an hour so that a page shows more than it has waited for. Samples are taken
 * whether or not somebody looks: it costs a fraction of a millisecond.
 */
export class DashboardFeed {
  private readonly sampler: DashboardSampler;
  private readonly samples: DashboardSample[] = [];
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt: number;
  private readonly stop = new AbortController();

  constructor(
    metrics: Metrics,
    private readonly health: Health,
    now: () => number = Date.now,
  ) {
    this.startedAt = now();
    this.sampler = new DashboardSampler(metrics, now);
    this.timer = setInterval(() => void this.tick(), INTERVAL_MS).unref();
  }

  /** Messages until the consumer leaves or the service stops. */
  async *follow(): AsyncGenerator<DashboardMessage> {
    const live = on(this.emitter, 'message', { signal: this.stop.signal });
    yield {
      event: 'history',
      replica: hostname(),
      startedAt: this.startedAt,
      intervalMs: INTERVAL_MS,
      samples: this.samples,
      readiness: await this.health.readiness(),
    };
    try {
      for await (const [message] of live) yield message as DashboardMessage;
    } catch (error) {
      if (!this.stop.signal.aborted) throw error;
    }
  }

  /** Ends every stream; a listener cannot close while one is open. */
  close(): void {
    clearInterval(this.timer);
    this.stop.abort();
  }

  private async tick(): Promise<void> {
    const sample = await this.sampler.take();
    this.samples.push(sample);
    if (this.samples.length > HISTORY_MAX) this.samples.shift();
    if (this.emitter.listenerCount('message') === 0) return;
    const readiness = await this.health.readiness();
    this.emitter.emit('message', { event: 'sample', sample, readiness } satisfies DashboardMessage);
  }
}
