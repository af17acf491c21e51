import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../../../playground/src/data/random.js';
import type { Environment } from '../../../src/config/load-config.js';
import type { Report } from './call-judge.js';
import { newFolder, freePort } from '../../support/machine.js';
import { until } from '../../support/until.js';
import { AUDIENCE } from './token-operations.js';
import { SINK_SECRET } from '../../support/json-server.js';
import { ISSUER, MACHINE_SUBJECTS, ROLE_SCOPES } from './world.js';
import type { ReloadReport } from '../../../src/config/secrets.js';
import { Replica } from '../replica.js';
import { now, untilSome, type Span, type Verdict } from './memberships.js';

/** Signs the webhooks of the drill. */
export const WEBHOOK_SECRET = 'webhook-secret-of-the-drill';
export const USER_ID_KEY = 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A';
/** Life of sealed links: short, so that they expire under way. */
export const LINK_LIFE_SECONDS = 3;

/**
 * Starts the service, so many times, each a process of its own with the secrets that the drill rotates, on settings that differ from a real deployment's in times and limits only.
 * @param options.report told of faults of the service itself, which it logs or ends by
 */
export async function startDrillStack(
  origins: { readonly upstream: string; readonly sink: string },
  options: { replicas: number; settings: Environment; seed: string; report: Report },
) {
  const { settings, seed, report } = options;
  const folder = newFolder();
  const secrets = new SeededRandom(`${seed} secrets`);
  const makeSecret = (): string => secrets.suffix(43);
  const endUserSecret = new RotatingSecret(join(folder, 'end-user-secret'), '\n', makeSecret);
  const sealingKey = new RotatingSecret(join(folder, 'sealing-key'), ',', makeSecret);
  const environment = {
    ...drillEnvironment(origins.upstream),
    EVENT_SINK_URL: origins.sink,
    EVENT_SINK_SECRET: SINK_SECRET,
    END_USER_SECRET_FILE: endUserSecret.file,
    SEALING_KEY_FILE: sealingKey.file,
    DATA_DIR: folder,
    ...settings,
  };
  const replicas: DrillReplica[] = [];
  for (let number = 0; number < options.replicas; number += 1) {
    replicas.push(new DrillReplica(report, environment, await freePort(), await freePort()));
  }
  await Promise.all(replicas.map((replica) => replica.start()));
  const serving = (): DrillReplica[] => replicas.filter(({ serves }) => serves);
  return {
    endUserSecret,
    sealingKey,
    /** One that serves, as a load balancer picks it; waits while none does. */
    pick: async (random: SeededRandom) => {
      if (serving().length === 0) await until(() => serving().length > 0);
      return random.pick(serving());
    },
    /** Has every replica read the secrets again. */
    reload: async () => void (await Promise.all(replicas.map((replica) => replica.reload()))),
    /** Ends one with the signal and starts it again, unless one is down already. */
    restart: async (random: SeededRandom, signal: NodeJS.Signals) => {
      if (serving().length === replicas.length) await random.pick(replicas).restart(signal);
    },
    close: async () => void (await Promise.all(replicas.map((replica) => replica.end()))),
  };
}

function drillEnvironment(upstreamOrigin: string): Environment {
  return {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    UPSTREAM_URL: upstreamOrigin,
    ISSUER_TOKEN_URL: `${upstreamOrigin}/issuer/token`,
    PARTNER_CLIENT_ID: 'isolation-drill',
    PARTNER_CLIENT_SECRET: 'partner-secret-of-the-drill',
    END_USER_ISSUER: ISSUER,
    END_USER_AUDIENCE: AUDIENCE,
    USER_ID_KEY,
    ROLE_SCOPES,
    MACHINE_SUBJECTS,
    RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE: '0',
    OPERATIONS_DIR: join('test', 'drills', 'isolation', 'operations'),
    ATTACHMENT_TTL_SECONDS: String(LINK_LIFE_SECONDS),
    UPSTREAM_TIMEOUT_MS: '1500',
    ISSUER_TIMEOUT_MS: '1500',
    WEBHOOK_SECRETS: WEBHOOK_SECRET,
    EVENT_SINK_CONCURRENCY: '32',
    EVENT_SINK_RETRY_SECONDS: '1,1,1,1,1',
    EVENT_OBJECT_PATIENCE_SECONDS: '10',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
    USER_IN_FLIGHT_MAX: '100000',
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: '2000',
  };
}

class DrillReplica extends Replica {
  serves = false;

  /** @param report told of faults of the service itself, which it logs or ends by */
  constructor(
    private readonly report: Report,
    ...address: ConstructorParameters<typeof Replica>
  ) {
    super(...address);
  }

  /** Starts it once more where a busy server did not answer in time, as a supervisor does. */
  override async start(): Promise<void> {
    await super.start().catch(() => super.start());
    this.serves = true;
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

  override async end(signal?: NodeJS.Signals): Promise<void> {
    if (this.ownEnd !== undefined) this.report(this.ownEnd);
    this.serves = false;
    await super.end(signal);
    const faults = this.logText.split('\n').filter((line) => line.includes('internal_error'));
    for (const line of faults) this.report(`the service logged ${line}`);
  }
}

/** A secret in a file, as an operator rotates it where there are several replicas: the new one first as the second. */
export class RotatingSecret {
  private readonly values: string[];
  /** When each value became the first, and when every replica knew it for that. */
  private readonly first: { readonly from: number; by: number }[];
  /** When each value left the file, and when no replica accepted it any more. */
  private readonly retired = new Map<number, { readonly start: number; end: number }>();
  private isRotating = false;

  /**
   * @param separator the text between two values
   * @param make a value that is fit for the setting
   */
  constructor(
    readonly file: string,
    private readonly separator: string,
    private readonly make: () => string,
  ) {
    this.values = [make()];
    this.first = [{ from: now(), by: now() }];
    this.write(this.values);
  }

  /** Number of the newest value that every replica accepts. */
  get generation(): number {
    return this.values.length - 1;
  }

  /** Number of the newest value that every replica had for the first at a time. */
  generationAt(time: number): number {
    return this.first.findLastIndex(({ by }) => by <= time);
  }

  value(generation: number): string {
    return this.values[generation]!;
  }

  /**
   * Makes a new value the first, unless a rotation is under way.
   * @param takeUp has every replica read the file
   */
  async rotate(takeUp: () => Promise<void>): Promise<void> {
    if (this.isRotating) return;
    this.isRotating = true;
    const [current, next] = [this.values.at(-1)!, this.make()];
    const leaving = { start: now(), end: Infinity };
    this.retired.set(this.generation - 1, leaving);
    await this.take([current, next], takeUp);
    leaving.end = now();
    this.values.push(next);
    const beginning = { from: now(), by: Infinity };
    this.first.push(beginning);
    await this.take([next, current], takeUp);
    beginning.by = now();
    this.isRotating = false;
  }

  /** The truth of a value being accepted in a span; it is from the moment it was made. */
  accepts(generation: number, span: Span): Verdict {
    const { start, end } = this.retired.get(generation) ?? { start: Infinity, end: Infinity };
    return untilSome(start, end, span);
  }

  private async take(values: readonly string[], takeUp: () => Promise<void>): Promise<void> {
    this.write(values);
    await takeUp();
  }

  /** At once, since replicas read the file at any time. */
  private write(values: readonly string[]): void {
    writeFileSync(`${this.file}.new`, values.join(this.separator), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }
}
