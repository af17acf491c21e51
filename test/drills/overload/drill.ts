import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endsByItself, newFolder } from '../../support/machine.js';
import { startProcess, type ServiceProcess } from '../../support/start-process.js';
import { grant } from '../../support/start-stack.js';
import type { AttackOrder, AttackReport } from './attackers-main.js';
import { TOKEN_PREFIXES, AUDIENCE, ISSUER, SECRETS, HIRERS, signIn, type Person } from './world.js';
import { Asking, type Stretch } from '../asking.js';
import { Users } from '../users.js';
import { Watch } from './watch.js';

const USERS = 20;
/** Of one user, from request to request. */
const STEP_MS = 500;
const PATIENCE_MS = 10_000;
const HEAP_MEGABYTES = 384;
const WARM_UP_SECONDS = 2;
const STOP_TIMEOUT_MS = 2_000;
const STOP_PATIENCE_MS = 60_000;
const BUILD = 'node_modules/.cache/overload-drill';

export interface DrillOptions {
  /** How long the users work before the attacks begin. */
  readonly quietSeconds: number;
  /** How long they work under attack. */
  readonly attackSeconds: number;
  /** Multiplies the rate of every attack. */
  readonly intensity: number;
  /** Names of attacks; all by default. */
  readonly only: readonly string[] | undefined;
}

/** How users, attacks and service went. */
export type DrillReport = Awaited<ReturnType<typeof runOverloadDrill>>;

/** Longest time from SIGTERM to the end of the process, in milliseconds. */
export const EXIT_MS_MAX = STOP_TIMEOUT_MS + 1_000;

/**
 * Starts the service as a process with a small heap, has twenty users work in quiet and then under every attack at
 * once, and stops it while the attacks go on. Attackers and upstream are processes of their own.
 */
export async function runOverloadDrill({ quietSeconds, attackSeconds, ...order }: DrillOptions) {
  const persons = Array.from({ length: USERS }, (_, n) => signIn(`user-${n}`, HIRERS[n % HIRERS.length]!));
  const attacker = signIn('attacker', HIRERS[0]!);
  const [origin, attackers] = [await startUpstream(), start('attackers-main.js')];
  const service = await startProcess(environmentOf(origin, newFolder()));
  const { url, opsUrl, child } = service;
  for (const { subject, hirer: hirerId } of [...persons, attacker]) {
    await grant(opsUrl, { subject, hirerId, roles: ['member'] });
  }
  const asking = new Asking(PATIENCE_MS);
  const users = new Users(asking, persons, [service], STEP_MS / USERS);
  const work = async (seconds: number): Promise<Stretch> => {
    users.begin();
    await delay(seconds * 1000);
    await users.end();
    return asking.turn();
  };
  await work(WARM_UP_SECONDS);
  const quiet = await work(quietSeconds);
  const watching = new Watch(opsUrl, child.pid!);
  const machine = signIn('machine', attacker.hirer).token;
  const webhookSecret = SECRETS.WEBHOOK_SECRETS;
  const { token, hirer } = attacker;
  attackers.send({ url, token, hirer, machine, webhookSecret, ...order } satisfies AttackOrder);
  const attacked = await work(attackSeconds);
  attackers.send('report');
  const [attacks] = (await once(attackers, 'message')) as [readonly AttackReport[]];
  const watch = await watching.stop();
  /** True if the process was running until it was told to stop. */
  const survived = child.exitCode === null && child.signalCode === null;
  await asking.close();
  const exit = await stop(service);
  /** Names of secrets that stand in the log. */
  const leaked = leakedIn(service.logText(), [...persons, attacker]);
  return { attacks, quiet, attacked, watch, survived, ...exit, leaked };
}

/** Stops the service while the attacks go on; kills it when it does not end. */
async function stop(service: ServiceProcess) {
  const startedAt = performance.now();
  const killer = setTimeout(() => service.child.kill('SIGKILL'), STOP_PATIENCE_MS);
  const exitCode = await service.stop();
  clearTimeout(killer);
  return { exitCode, exitMs: performance.now() - startedAt };
}

function leakedIn(log: string, persons: readonly Person[]): readonly string[] {
  const signatures = persons.map(({ subject, token }) => [`token of ${subject}`, token.split('.')[2]!]);
  const issued = Object.entries(TOKEN_PREFIXES).map(([kind, prefix]) => [`${kind} token`, prefix]);
  return [...Object.entries(SECRETS), ...signatures, ...issued]
    .filter(([, secret]) => log.includes(secret!))
    .map(([name]) => name!);
}

/** Every limit has its default, but for the requests of a user: the first line of defence is not to hide the others. */
function environmentOf(upstreamUrl: string, folder: string): Record<string, string> {
  return {
    ...SECRETS,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}`,
    PORT: '0',
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    DATA_DIR: folder,
    UPSTREAM_URL: upstreamUrl,
    ISSUER_TOKEN_URL: `${upstreamUrl}/issuer/token`,
    PARTNER_CLIENT_ID: 'overload-drill',
    END_USER_ISSUER: ISSUER,
    END_USER_AUDIENCE: AUDIENCE,
    MACHINE_SUBJECTS: 'machine',
    EVENT_SINK_URL: `${upstreamUrl}/sink`,
    RATE_LIMIT_REQUESTS_PER_MINUTE: '6000',
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: String(STOP_TIMEOUT_MS),
  };
}

/** Starts the upstream and issuer of the drill as a process, which ends with the test. */
export async function startUpstream(): Promise<string> {
  compile();
  const [origin] = (await once(start('upstream-main.js'), 'message')) as [string];
  return origin;
}

function start(program: string): ChildProcess {
  const child = fork(join(BUILD, 'drills', 'overload', program), { execArgv: [], env: {} });
  endsByItself(() => child.kill());
  return child;
}

function compile(): void {
  mkdirSync(BUILD, { recursive: true });
  writeFileSync(join(BUILD, 'package.json'), '{"type":"module"}');
  const options = ['--strip-leading-paths', '--ignore', '**/*.test.ts', '--quiet'];
  const sources = ['test/drills/overload', 'test/drills/caller.ts', 'test/support'];
  execFileSync('node_modules/.bin/swc', [...sources, '--out-dir', BUILD, ...options]);
}
