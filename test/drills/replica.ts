import type { Environment } from '../../src/config/load-config.js';
import { startProcess, type Program, type ServiceProcess } from '../support/start-process.js';

/** The end of the log of a replica that ended by itself. */
const LOG_CHARACTERS = 20_000;

/** The service in a process of its own, which is ended and started again at its address. */
export class Replica {
  readonly url: string;
  readonly opsUrl: string;
  private readonly environment: Environment;
  private process: ServiceProcess | undefined;

  constructor(
    environment: Environment,
    port: number,
    opsPort: number,
    private readonly program?: Program,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.opsUrl = `http://127.0.0.1:${opsPort}`;
    this.environment = { ...environment, PORT: String(port), OPS_PORT: String(opsPort) };
  }

  async start(): Promise<void> {
    this.process = await startProcess(this.environment, this.program);
  }

  /** Ends it, where it was started. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.process?.stop(signal);
  }

  protected get pid(): number {
    return this.process!.child.pid!;
  }

  protected get logText(): string {
    return this.process?.logText() ?? '';
  }

  /** How it ended, if nobody ended it. */
  protected get ownEnd(): string | undefined {
    const { exitCode = null, signalCode = null } = this.process?.child ?? {};
    const code = exitCode ?? signalCode;
    return code === null
      ? undefined
      : `a replica ended by itself with ${code}: ${this.logText.slice(-LOG_CHARACTERS)}`;
  }
}
