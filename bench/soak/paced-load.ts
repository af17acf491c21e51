import { createHistogram } from 'node:perf_hooks';
import { Pool } from 'undici';
import type { LoadRequest } from '../load.js';

const TICK_MS = 20;

/** Requests of one kind at a steady rate, with what became of them. */
export class PacedLoad {
  /** Answers by status; those that did not come by `failed`. */
  readonly outcomes: Record<string, number> = {};
  private readonly latencies = createHistogram();
  private readonly pool: Pool;
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();
  private sent = 0;

  constructor(
    origin: string,
    private readonly next: () => LoadRequest,
    private readonly perSecond: number,
  ) {
    this.pool = new Pool(origin, { connections: 32 });
    this.timer = setInterval(() => this.sendDue(), TICK_MS);
  }

  /** The 99th percentile of what was answered since the last call, in milliseconds. */
  takeP99(): number {
    const milliseconds = this.latencies.percentile(99) / 1e6;
    this.latencies.reset();
    return milliseconds;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.pool.close();
  }

  private sendDue(): void {
    const due = ((performance.now() - this.startedAt) / 1000) * this.perSecond;
    for (; this.sent < due; this.sent += 1) void this.send(this.next());
  }

  private async send({ path, headers, body, headersOf }: LoadRequest): Promise<void> {
    const startedAt = process.hrtime.bigint();
    const outcome = await this.pool
      .request({ method: 'POST', path, headers: { ...headers, ...headersOf?.(body) }, body })
      .then(async (answer) => {
        await answer.body.dump();
        return String(answer.statusCode);
      })
      .catch(() => 'failed');
    this.latencies.record(process.hrtime.bigint() - startedAt);
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
  }
}
