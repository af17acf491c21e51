import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../support/machine.js';
import { startProcess, type ServiceProcess } from '../../support/start-process.js';
import type { AttackOrder, AttackReport } from './attackers-main.js';
import { TOKEN_PREFIXES, AUDIENCE, ISSUER, SECRETS, HIRERS, signIn, type Person } from './world.js';
import { Users, type UsersReport } from './users.js';
import { Watch, type WatchReport } from './watch.js';

const USERS = 20;
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
  readonly only?: readonly string[] | undefined;
}

/** The result of a drill. */
export interface DrillReport {
  readonly attacks: readonly AttackReport[];
  readonly quiet: UsersReport;
  readonly attacked: UsersReport;
  readonly watch: WatchReport;
  /** True if the process was running until it was told to stop. */
  readonly survived: boolean;
  readonly exitCode: number | null;
  readonly exitMs: number;
  /** Names of secrets that stand in the log. */
  readonly leaked: readonly string[];
}

/** Longest time from SIGTERM to the end of the process, in milliseconds. */
export const EXIT_MS_MAX = STOP_TIMEOUT_MS + 1_000;

/**
 * Starts the service as a process with a small heap, has twenty users work in quiet and then under every attack at
 * once, and stops it while the attacks go on. Attackers and upstream are processes of their own.
 */
export async function runOverloadDrill(options: DrillOptions): Promise<DrillReport> {
  const folder = newFolder();
  const users = Array.from({ length: USERS }, (_, n) => signIn(`user-${n}`, HIRERS[n % HIRERS.length]!));
  const attacker = signIn('attacker', HIRERS[0]!);
  const [upstream, attackers] = [await startUpstream(), start('attackers-main.js')];
  let service: ServiceProcess | undefined;
  try {
    service = await startProcess(environmentOf(upstream.origin, folder));
    for (const person of [...users, attacker]) await grant(service.opsUrl, person);
    return await drill({ service, attackers, users, attacker }, options);
  } finally {
    service?.child.kill('SIGKILL');
    for (const child of [attackers, upstream.child]) child.kill();
  }
}

interface Stage {
  readonly service: ServiceProcess;
  readonly attackers: ChildProcess;
  readonly users: readonly Person[];
  readonly attacker: Person;
}

async function drill(
  { service, attackers, users: persons, attacker }: Stage,
  { quietSeconds, attackSeconds, intensity, only }: DrillOptions,
): Promise<DrillReport> {
  const { url, opsUrl, child } = service;
  const users = new Users(url, persons);
  await users.work(WARM_UP_SECONDS);
  const quiet = await users.work(quietSeconds);
  const watching = new Watch(opsUrl, child.pid!);
  const { token, hirer } = attacker;
  const machine = signIn('machine', hirer).token;
  const webhookSecret = SECRETS.WEBHOOK_SECRETS;
  attackers.send({ url, token, hirer, machine, webhookSecret, intensity, only } satisfies AttackOrder);
  const attacked = await users.work(attackSeconds);
  attackers.send('report');
  const [attacks] = (await once(attackers, 'message')) as [readonly AttackReport[]];
  const watch = await watching.stop();
  const survived = child.exitCode === null && child.signalCode === null;
  await users.close();
  const exit = await stop(service);
  const leaked = leakedIn(service.logText(), [...persons, attacker]);
  return { attacks, quiet, attacked, watch, survived, ...exit, leaked };
}

/** Stops the service while the attacks go on; kills it when it does not end. */
async function stop(service: ServiceProcess): Promise<Pick<DrillReport, 'exitCode' | 'exitMs'>> {
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

async function grant(opsUrl: string, { subject, hirer }: Person): Promise<void> {
  const path = `memberships/${encodeURIComponent(subject)}/${encodeURIComponent(hirer)}`;
  const { status } = await fetch(`${opsUrl}/${path}`, { method: 'PUT' });
  if (status !== 200) throw new Error(`a membership was not granted: ${status}`);
}

/** Starts the upstream and issuer of the drill as a process. */
export async function startUpstream(): Promise<{ readonly child: ChildProcess; readonly origin: string }> {
  compile();
  const child = start('upstream-main.js');
  const [origin] = (await once(child, 'message')) as [string];
  return { child, origin };
}

function start(program: string): ChildProcess {
  return fork(join(BUILD, 'drills', 'overload', program), { execArgv: [], env: {} });
}

function compile(): void {
  mkdirSync(BUILD, { recursive: true });
  writeFileSync(join(BUILD, 'package.json'), '{"type":"module"}');
  const options = ['--strip-leading-paths', '--ignore', '**/*.test.ts', '--quiet'];
  const sources = ['test/drills/overload', 'test/drills/caller.ts', 'test/support'];
  execFileSync('node_modules/.bin/swc', [...sources, '--out-dir', BUILD, ...options]);
}
