import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { Metrics } from '../../telemetry/metrics.js';
import { takeSample, type DashboardSample, type SampledCounters } from './dashboard-sampler.js';

const INTERVAL_MS = 10_000;
const SAMPLES_MAX = 180;

/** What this process did in the last half hour, in steps of ten seconds, whether or not a page is open. */
@Injectable()
export class FigureRing implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly startedAt = Date.now();
  private readonly taken: DashboardSample[] = [];
  private last: SampledCounters = { time: this.startedAt, counters: {} };
  private loop: Loop | undefined;

  constructor(
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The oldest first. */
  get samples(): readonly DashboardSample[] {
    return this.taken;
  }

  onApplicationBootstrap(): void {
    this.loop = every(
      INTERVAL_MS,
      () => this.take(),
      (error) => this.log.error({ err: error }, 'the dashboard cannot be sampled'),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop?.stop();
  }

  /** Takes the sample of the interval that ends now. */
  async take(): Promise<void> {
    const [sample, last] = await takeSample(this.metrics, this.last);
    this.last = last;
    this.taken.push(sample);
    if (this.taken.length > SAMPLES_MAX) this.taken.shift();
  }
}
