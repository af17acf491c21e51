import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Asking } from '../asking.js';

const PAUSE_MS = 100;
const MEMORY_EVERY_MS = 500;
const PATIENCE_MS = 60_000;

/** Asks `/livez` of a process over and over, and looks at its memory. */
export class Watch {
  private over = false;
  /** Most resident memory the process ever had; Linux only. */
  private memoryPeakBytes = 0;
  private readonly asking = new Asking(PATIENCE_MS);
  private readonly timer: NodeJS.Timeout;
  private readonly asked: Promise<void>;

  constructor(
    private readonly opsUrl: string,
    private readonly pid: number,
  ) {
    this.timer = setInterval(() => this.readMemory(), MEMORY_EVERY_MS);
    this.asked = this.ask();
  }

  /** Ends once the last `/livez` is answered. */
  async stop() {
    this.over = true;
    await this.asked;
    clearInterval(this.timer);
    this.readMemory();
    await this.asking.close();
    return { livez: this.asking.turn(), memoryPeakBytes: this.memoryPeakBytes };
  }

  /** One after the other. */
  private async ask(): Promise<void> {
    while (!this.over) {
      await this.asking.ask({ kind: 'livez', url: `${this.opsUrl}/livez` });
      await delay(PAUSE_MS);
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
