import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import supertest from 'supertest';
import type { Environment } from '../../src/config/load-config.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { askToken, type Answer } from '../support/ask-token.js';
import { builtProgram, startProcess, type ServiceProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { TEST_DATABASES, type TestDatabase } from '../support/test-database.js';

const REDIS_URL = process.env['TEST_REDIS_URL'];
const SCOPE = 'query:organizations';

/** The databases that workers can share; none where there is no Redis beside. */
export const WORKER_DATABASES = TEST_DATABASES.filter(({ isServer }) => isServer && REDIS_URL !== undefined);

/** Settings that name servers which are not there. */
export const NOWHERE = { DATABASE_URL: 'postgres://127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' };

const DELAY_MS = 200;
const TIMEOUT_MS = 1_500;

/** Settings of a stop that is soon over, and how long it then takes at most. */
export const STOP_BOUNDS = { SHUTDOWN_DELAY_MS: String(DELAY_MS), SHUTDOWN_TIMEOUT_MS: String(TIMEOUT_MS) };
export const BOUND_MS = DELAY_MS + TIMEOUT_MS + 1_000;

/** A service of two workers, on PostgreSQL and Redis, and a member who asks it for tokens. */
export class TwoWorkers {
  /** Of the last start. */
  service!: ServiceProcess;

  private constructor(
    readonly database: TestDatabase,
    readonly playground: Playground,
    readonly hirerId: string,
    readonly token: string,
  ) {}

  /** Nothing is started yet. */
  static async open(openDatabase: () => Promise<TestDatabase>): Promise<TwoWorkers> {
    const playground = await startPlayground({ port: 0, size: 5 });
    void playground.world;
    const { hirerId } = playground.demo.hirers[0]!;
    return new TwoWorkers(await openDatabase(), playground, hirerId, await playground.signIn('amelia'));
  }

  async start(overrides: Environment = {}, program = builtProgram()): Promise<void> {
    this.service = await startProcess({ ...this.environment, ...overrides }, program);
    await supertest(this.service.opsUrl).put(this.membership).expect(200);
  }

  get environment(): Environment {
    const own = { REDIS_URL, WORKERS: '2', RATE_LIMIT_REQUESTS_PER_MINUTE: '0' };
    return serviceEnvironment(this.playground, { ...this.database.settings, ...own });
  }

  /** The ops route of the member. */
  get membership(): string {
    return `/memberships/amelia/${encodeURIComponent(this.hirerId)}`;
  }

  ask(headers: Record<string, string> = {}): Promise<Answer> {
    return askToken(this.service, this.token, { hirerId: this.hirerId, scope: SCOPE }, headers);
  }

  async askTimes(times: number): Promise<readonly number[]> {
    return (await Promise.all(Array.from({ length: times }, () => this.ask()))).map(({ status }) => status);
  }

  /** The sum of the values of the metrics that match. */
  async metric(pattern: RegExp): Promise<number> {
    const { text } = await supertest(this.service.opsUrl).get('/metrics').expect(200);
    const values = [...text.matchAll(new RegExp(`^${pattern.source} (\\S+)$`, 'gm'))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Browser tokens that were issued. */
  issued(): Promise<number> {
    return this.metric(/bff_browser_tokens_total\{[^}]*outcome="issued"[^}]*\}/);
  }

  /** Numbers of the workers that logged a request for a token. */
  answering(): number[] {
    const lines = this.service
      .logText()
      .split('\n')
      .filter((line) => line.includes('"route":"/auth/token"'));
    return [...new Set(lines.map((line) => (JSON.parse(line) as { worker: number }).worker))].sort();
  }

  /** Sends a signal to one of the two. */
  signal(number: number, signal: NodeJS.Signals): void {
    process.kill(pidsOf(this.service).get(number)!, signal);
  }

  /** After a test. */
  end(): void {
    this.playground.faults.clear();
    if (this.service.child.exitCode === null) this.service.child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    await this.database.drop();
    await this.playground.close();
  }
}

/** Process ids of the workers, by number. */
function pidsOf({ child }: ServiceProcess): ReadonlyMap<number, number> {
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
  const numbered = pids
    .trim()
    .split(/\s+/)
    .flatMap((pid) => {
      const [, number] = /BFF_WORKER=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? [];
      return number === undefined ? [] : [[Number(number), Number(pid)] as const];
    });
  return new Map(numbered);
}
