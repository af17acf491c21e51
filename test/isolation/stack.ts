import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import 'reflect-metadata';
import { loadConfig, type Environment } from '../../src/config/load-config.js';
import { openLog } from '../../src/telemetry/log.js';
import { SeededRandom } from '../../playground/src/data/random.js';
import { startService, type Service } from '../../src/service.js';
import { AUDIENCE } from './end-user-tokens.js';
import { SINK_SECRET } from './event-sink.js';
import { RotatingSecret } from './rotating-secret.js';
import { ISSUER, MACHINE_SUBJECTS, ROLE_SCOPES } from './world.js';

/** Signs the webhooks of the drill. */
export const WEBHOOK_SECRET = 'webhook-secret-of-the-drill';
export const USER_ID_KEY = 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A';
/** Life of sealed links: short, so that they expire under way. */
export const LINK_LIFE_SECONDS = 3;

const LOG_LINES_MAX = 5;

/** The replicas under test, with the secrets that the drill rotates. */
export interface DrillStack {
  readonly replicas: readonly Service[];
  readonly endUserSecret: RotatingSecret;
  readonly sealingKey: RotatingSecret;
  /** Every replica takes up new secrets. */
  reload(): void;
  /** Faults of the service itself that were logged: there must be none. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Starts the service, so many times, on settings that differ from a real deployment's in times and limits only. */
export async function startDrillStack(
  origins: { readonly upstream: string; readonly sink: string },
  { replicas: count, settings, seed }: { replicas: number; settings: Environment; seed: string },
): Promise<DrillStack> {
  const folder = mkdtempSync(join(tmpdir(), 'isolation-drill-'));
  const random = new SeededRandom(`${seed} secrets`);
  const makeSecret = (): string => random.suffix(43);
  const endUserSecret = new RotatingSecret(join(folder, 'end-user-secret'), '\n', makeSecret);
  const sealingKey = new RotatingSecret(join(folder, 'sealing-key'), ',', makeSecret);
  const errors: string[] = [];
  const log = openLog({ LOG_LEVEL: 'error' }, keepFaults(errors));
  const replicas: Service[] = [];
  for (let number = 0; number < count; number += 1) {
    const environment = {
      ...drillEnvironment(origins.upstream),
      EVENT_SINK_URL: origins.sink,
      EVENT_SINK_SECRET: SINK_SECRET,
      END_USER_SECRET_FILE: endUserSecret.file,
      SEALING_KEY_FILE: sealingKey.file,
      DATA_DIR: folder,
      ...settings,
    };
    replicas.push(await startService(loadConfig(environment), log));
  }
  return {
    replicas,
    endUserSecret,
    sealingKey,
    reload: () => replicas.forEach((replica) => replica.reloadSecrets()),
    errors,
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()));
      rmSync(folder, { recursive: true });
    },
  };
}

function drillEnvironment(upstreamOrigin: string): Environment {
  return {
    PORT: '0',
    HOST: '127.0.0.1',
    OPS_PORT: '0',
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
    OPERATIONS_DIR: join('test', 'isolation', 'operations'),
    ATTACHMENT_TTL_SECONDS: String(LINK_LIFE_SECONDS),
    UPSTREAM_TIMEOUT_MS: '1500',
    ISSUER_TIMEOUT_MS: '1500',
    WEBHOOK_SECRETS: WEBHOOK_SECRET,
    EVENT_SINK_CONCURRENCY: '32',
    EVENT_SINK_RETRY_SECONDS: '1,1,1,1,1',
    EVENT_OBJECT_PATIENCE_SECONDS: '10',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
    USER_DOWNLOADS_MAX: '1000',
    USER_IN_FLIGHT_MAX: '100000',
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: '2000',
  };
}

function keepFaults(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const line = chunk.toString();
      if (lines.length < LOG_LINES_MAX && line.includes('internal_error')) lines.push(line);
      done();
    },
  });
}
