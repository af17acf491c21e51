import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startBff, WEBHOOK_SECRET } from '../bff.js';
import { measure, median, WARM_UP_REQUESTS } from '../load.js';
import { startServer, type ServerProcess } from '../server-process.js';
import { freePort } from '../../test/support/machine.js';
import { buildCommit } from './build-commit.js';
import { SCENARIOS, type Scenario } from './scenarios.js';

/**
 * This checkout beside another commit and beside floors that decide nothing, for each kind of request, in one interleaved
 * run: `npm run bench:compare -- <commit>`. Read the ratios, never the times. Processes of the same build differ by a half,
 * so each is started anew several times. `STARTS` and `ROUNDS` (of each start) change the length, `ONLY` names the
 * kinds of request to be measured, separated by commas; with
 * `RATIO_MAX`, the run fails when this checkout spends more than so many times the other's CPU on a kind of request.
 */
const STARTS = Number(process.env['STARTS'] ?? 5);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const RATIO_MAX = Number(process.env['RATIO_MAX'] ?? Infinity);
const CONNECTIONS = 32;
const bench = join(import.meta.dirname, '..');

const commit = process.argv[2];
if (commit === undefined) {
  process.stderr.write('Name a commit to compare with: npm run bench:compare -- <commit>\n');
  process.exit(2);
}

const other = buildCommit(commit);
const running: ServerProcess[] = [];
process.once('exit', () => {
  for (const server of running) server.stop();
  other.remove();
});

interface Target {
  readonly pid: number;
  readonly port: number;
  stop(): void;
}

async function open(start: (port: number) => Promise<ServerProcess>): Promise<Target> {
  const port = await freePort();
  const server = await start(port);
  running.push(server);
  return { pid: server.pid, port, stop: () => server.stop() };
}

const startProgram =
  (program: string, settings: Record<string, string>) =>
  (port: number): Promise<ServerProcess> =>
    startServer(join(bench, program), { ...settings, PORT: String(port) }, `http://127.0.0.1:${port}/`);

const origin = await open(startProgram('upstream.js', {}));
const upstream = `http://127.0.0.1:${origin.port}`;
const settings = {
  WEBHOOK_SECRETS: WEBHOOK_SECRET,
  EVENTS_POLL_SECONDS: '86400',
  OPERATIONS_DIR: resolve('bench/compare/operations'),
};
type Name = 'now' | 'then' | 'floor';
type Costs = Readonly<Record<Name, number[]>>;

/** Adds the CPU microseconds for each request, by round. The order turns round after each round. */
async function measureRounds(
  { request, count, weight = 1 }: Scenario,
  targets: [Name, Target][],
  costs: Costs,
): Promise<void> {
  for (const [, { pid, port }] of targets) {
    await measure(pid, request(port), Math.ceil(WARM_UP_REQUESTS * weight), CONNECTIONS);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, { pid, port }] of targets) {
      const cost = await measure(pid, request(port), count, CONNECTIONS);
      costs[name].push(cost.cpuMicrosecondsPerRequest);
    }
    targets.reverse();
  }
}

/** Measures every kind of request on new processes; every second start begins with the other commit. */
async function measureStart(start: number): Promise<void> {
  const mains: [Name, string | undefined][] = [
    ['now', undefined],
    ['then', other.main],
  ];
  if (start % 2 === 1) mains.reverse();
  const targets: [Name, Target][] = [];
  for (const [name, main] of mains) {
    targets.push([name, await open((port) => startBff(port, upstream, settings, main))]);
  }
  for (const scenario of chosen) {
    const { floor: program } = scenario;
    const floor = program && (await open(startProgram(program, floorSettings())));
    const beside: [Name, Target][] = floor ? [...targets, ['floor', floor]] : [...targets];
    await measureRounds(scenario, beside, results.get(scenario.name)!);
    if (floor) floor.stop();
  }
  for (const [, { stop }] of targets) stop();
}

function floorSettings(): Record<string, string> {
  const file = join(mkdtempSync(join(tmpdir(), 'bff-bench-')), 'bare.sqlite');
  return { UPSTREAM: upstream, SECRET: WEBHOOK_SECRET, FILE: file };
}

function ratio(over: readonly number[], under: readonly number[]): number {
  return median(over) / median(under);
}

const only = process.env['ONLY']?.split(',');
const chosen = SCENARIOS.filter(({ name }) => only?.includes(name) ?? true);
const results = new Map<string, Costs>(chosen.map(({ name }) => [name, { now: [], then: [], floor: [] }]));
for (let start = 0; start < STARTS; start += 1) await measureStart(start);

const cell = (text: string): string => text.padStart(14);
const microseconds = (costs: readonly number[]): string => cell(`${median(costs).toFixed(0)} us`);
const row = (name: string, { now: ours, then: theirs, floor }: Costs): string => {
  const floors = floor.length > 0 ? [ratio(ours, floor), ratio(theirs, floor)] : [];
  const cells = [ratio(ours, theirs), ...floors].map((value) => cell(value.toFixed(2)));
  return `  ${name.padEnd(22)}${microseconds(ours)}${microseconds(theirs)}${cells.join('')}`;
};
const titles = ['this checkout', other.name, 'this / other', 'this / floor', 'other / floor']
  .map(cell)
  .join('');
const perItem = (name: string, items: number): string => {
  const [several, single] = [results.get(name), results.get('operation')];
  if (!several || !single) return '';
  const { now: ours, then: theirs } = several;
  const [a, b] = [ratio(ours, single.now) / items, ratio(theirs, single.then) / items];
  return `  ${name}, as a multiple of ${items === 1 ? 'an operation' : `${items} operations`}: ${a.toFixed(2)}, ${other.name} ${b.toFixed(2)}`;
};
process.stdout.write(
  [
    `CPU of the service for each request, ${STARTS} starts of ${ROUNDS} interleaved rounds over ${CONNECTIONS} connections, medians`,
    '',
    `  ${''.padEnd(22)}${titles}`,
    ...[...results].map(([name, costs]) => row(name, costs)),
    '',
    perItem('registered operation', 1),
    perItem('array of ten', 10),
    '',
  ].join('\n'),
);

const slower = [...results].filter(([, { now: ours, then: theirs }]) => ratio(ours, theirs) > RATIO_MAX);
for (const [name] of slower) {
  process.stderr.write(`  ${name} costs more than ${RATIO_MAX} times that of ${other.name}\n`);
}
process.exit(slower.length > 0 ? 1 : 0);
