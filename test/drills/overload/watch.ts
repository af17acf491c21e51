import { readFileSync } from 'node:fs';
import { Caller } from '../caller.js';

const PAUSE_MS = 100;
const MEMORY_EVERY_MS = 500;
const PATIENCE_MS = 60_000;

/** Asks `/livez` of a process over and over, and looks at its memory. */
export class Watch {
  private over = false;
  /** Times `/livez` was asked, one after the other, and how many of these were answered anything but 200. */
  private asked = 0;
  private failed = 0;
  private longestMs = 0;
  /** Most resident memory the process ever had; Linux only. */
  private memoryPeakBytes = 0;
  private readonly caller = new Caller(PATIENCE_MS);
  private readonly timer: NodeJS.Timeout;
  private readonly asking: Promise<void>;

  constructor(
    private readonly opsUrl: string,
    private readonly pid: number,
  ) {
    this.timer = setInterval(() => this.readMemory(), MEMORY_EVERY_MS);
    this.asking = this.ask();
  }

  /** Ends once the last `/livez` is answered. */
  async stop() {
    this.over = true;
    await this.asking;
    clearInterval(this.timer);
    this.readMemory();
    await this.caller.close();
    const { asked, failed, longestMs, memoryPeakBytes } = this;
    return { asked, failed, longestMs, memoryPeakBytes };
  }

  private async ask(): Promise<void> {
    while (!this.over) {
      const startedAt = performance.now();
      const reply = await this.caller.send(`${this.opsUrl}/livez`).catch(() => undefined);
      this.asked += 1;
      if (reply?.status !== 200) this.failed += 1;
      this.longestMs = Math.max(this.longestMs, performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** A process that has ended keeps what was read last. */
  private readMemory(): void {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
      this.memoryPeakBytes = Math.max(this.memoryPeakBytes, peak);
    } catch {
      clearInterval(this.timer);
    }
  }
}
