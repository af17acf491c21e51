import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../../playground/src/data/random.js';
import type { Environment } from '../../../src/config/load-config.js';
import type { Report } from './call-judge.js';
import { freePort } from '../../support/server-process.js';
import { until } from '../../support/until.js';
import { AUDIENCE } from './end-user-tokens.js';
import { SINK_SECRET } from './event-sink.js';
import { Replica } from './replica.js';
import { RotatingSecret } from './rotating-secret.js';
import { ISSUER, MACHINE_SUBJECTS, ROLE_SCOPES } from './world.js';

/** Signs the webhooks of the drill. */
export const WEBHOOK_SECRET = 'webhook-secret-of-the-drill';
export const USER_ID_KEY = 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A';
/** Life of sealed links: short, so that they expire under way. */
export const LINK_LIFE_SECONDS = 3;

/** The replicas under test, each a process of its own, with the secrets that the drill rotates. */
export interface DrillStack {
  readonly endUserSecret: RotatingSecret;
  readonly sealingKey: RotatingSecret;
  /** One that serves, as a load balancer picks it; waits while none does. */
  pick(random: SeededRandom): Promise<Replica>;
  /** Has every replica read the secrets again. */
  reload(): Promise<void>;
  /** Ends one with the signal and starts it again; false where one is down already. */
  restart(random: SeededRandom, signal: NodeJS.Signals): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Starts the service, so many times, on settings that differ from a real deployment's in times and limits only.
 * @param options.report told of faults of the service itself, which it logs or ends by
 */
export async function startDrillStack(
  origins: { readonly upstream: string; readonly sink: string },
  options: { replicas: number; settings: Environment; seed: string; report: Report },
): Promise<DrillStack> {
  const { settings, seed, report } = options;
  const folder = mkdtempSync(join(tmpdir(), 'isolation-drill-'));
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
  const replicas: Replica[] = [];
  for (let number = 0; number < options.replicas; number += 1) {
    replicas.push(new Replica(environment, await freePort(), await freePort(), report));
  }
  await Promise.all(replicas.map((replica) => replica.start()));
  const serving = (): Replica[] => replicas.filter(({ serves }) => serves);
  return {
    endUserSecret,
    sealingKey,
    pick: async (random) => {
      if (serving().length === 0) await until(() => serving().length > 0);
      return random.pick(serving());
    },
    reload: async () => void (await Promise.all(replicas.map((replica) => replica.reload()))),
    restart: async (random, signal) => {
      const isWhole = serving().length === replicas.length;
      if (isWhole) await random.pick(replicas).restart(signal);
      return isWhole;
    },
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.end()));
      rmSync(folder, { recursive: true });
    },
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
