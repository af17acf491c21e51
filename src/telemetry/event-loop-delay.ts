import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Durations } from './counted-metrics.js';
import { Metrics } from './metrics.js';

const SAMPLE_MS = 2;
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/**
 * Measures how late a timer fires that is due every 2 ms: how long single pieces of work hold the event loop. The
 * runtime's own `nodejs_eventloop_lag_*` is sampled every 10 ms and does not show work that is shorter.
 */
@Injectable()
export class EventLoopDelay implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly delays: Durations<never>;
  private timer: NodeJS.Timeout | undefined;

  constructor(metrics: Metrics) {
    this.delays = metrics.duration(
      'bff_event_loop_delay_seconds',
      'How long a timer that was due had to wait for work on the event loop; sampled every 2 ms.',
      [],
      BUCKETS_SECONDS,
    );
  }

  onApplicationBootstrap(): void {
    let dueAt = performance.now() + SAMPLE_MS;
    this.timer = setInterval(() => {
      const now = performance.now();
      this.delays.observe({}, Math.max(0, now - dueAt) / 1000);
      dueAt = now + SAMPLE_MS;
    }, SAMPLE_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
