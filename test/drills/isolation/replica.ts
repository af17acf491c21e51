import type { Environment } from '../../../src/config/load-config.js';
import type { ReloadReport } from '../../../src/config/secrets.js';
import { builtProgram } from '../../support/start-process.js';
import { until } from '../../support/until.js';
import { answers, Victim } from '../../support/server-process.js';
import type { Report } from './call-judge.js';

/** The service in a process of its own, which is ended and started again on its ports. */
export class Replica {
  readonly publicUrl: string;
  readonly opsUrl: string;
  private readonly process: Victim;
  private isUp = false;

  /** @param report told of faults of the service itself, which it logs or ends by */
  constructor(
    environment: Environment,
    port: number,
    opsPort: number,
    private readonly report: Report,
  ) {
    const { args, nodeEnvironment } = builtProgram();
    this.publicUrl = `http://127.0.0.1:${port}`;
    this.opsUrl = `http://127.0.0.1:${opsPort}`;
    this.process = new Victim({
      name: 'replica',
      args,
      environment: { ...nodeEnvironment, ...environment, PORT: String(port), OPS_PORT: String(opsPort) },
      url: `${this.opsUrl}/livez`,
      prepare: () => until(() => answers(this.publicUrl)),
      onLine: (line) => {
        if (line.includes('internal_error')) report(`the service logged ${line}`);
      },
    });
  }

  get serves(): boolean {
    return this.isUp;
  }

  /** Starts it once more where a busy server did not answer in time, as a supervisor does. */
  async start(): Promise<void> {
    await this.process.start().catch(() => this.process.start());
    this.isUp = true;
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.end(signal);
    await this.start();
  }

  /** Has it read its secrets again, now or after its start. */
  async reload(): Promise<void> {
    await until(async () => {
      const answer = await fetch(`${this.opsUrl}/secrets/reload`, { method: 'POST' }).catch(() => undefined);
      const read = answer?.ok && ((await answer.json().catch(() => undefined)) as ReloadReport | undefined);
      if (!read) return false;
      if (read.refused.length > 0) this.report(`a secret was refused: ${JSON.stringify(read.refused)}`);
      return true;
    });
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.process.hasEnded) this.report(`a replica ended by itself: ${this.process.output}`);
    this.isUp = false;
    await this.process.end(signal);
  }
}
