import { SeededRandom } from '../../../playground/src/data/random.js';
import type { Environment } from '../../../src/config/load-config.js';
import { fetchAttachment, LinkPool } from './attachment-operations.js';
import { CallJudge, type Report } from './call-judge.js';
import {
  changeMembership,
  changeRelationship,
  drawRoles,
  restartReplica,
  revokeTokens,
  rotateSecret,
  setMembership,
  RecentChanges,
} from './changes.js';
import { Caller } from '../caller.js';
import type { Actor, DrillContext } from './context.js';
import { DrillSink, deliverEvent } from './event-operations.js';
import { EndUserTokens, askToken, listHirers } from './token-operations.js';
import { askArray, askOne, askTogether, askWithoutHirer } from './graphql-operations.js';
import { Ledger } from './ledger.js';
import { clock, Memberships, now } from './memberships.js';
import { USER_ID_KEY, startDrillStack } from './stack.js';
import { DrillUpstream } from './upstream.js';
import { World, type Hirer } from './world.js';

/** The operations to drill, and their number. */
export interface DrillOptions {
  readonly seed: string;
  readonly operations: number;
  readonly replicas: number;
  /** The stores: empty for the embedded ones. */
  readonly settings: Environment;
}

/** The result of a drill. */
export interface DrillReport {
  readonly operations: number;
  /** Empty, or what was wrong, with all that is needed to look into it. */
  readonly violations: readonly string[];
  /** How often each kind of operation was served. */
  readonly served: ReadonlyMap<string, number>;
}

const CONNECTIONS = 64;
const ANSWER_TIMEOUT_MS = 30_000;
const AT_ONCE = 32;
const REPLICA_LAG_MS = 1_000; // how long a replica may lag behind
const MEMBER_SHARE = 0.3;
const MACHINE_SHARE = 0.08;
const VIOLATIONS_MAX = 5;

/** Operations and how often each is drawn. */
const OPERATIONS: readonly (readonly [
  weight: number,
  run: (context: DrillContext, actor: Actor) => Promise<void>,
])[] = [
  [250, askToken],
  [300, askOne],
  [120, askArray],
  [40, askTogether],
  [20, askWithoutHirer],
  [130, fetchAttachment],
  [50, listHirers],
  [15, deliverEvent],
  [66, changeMembership],
  [2, rotateSecret],
  [2, revokeTokens],
  [1, changeRelationship],
  [0.25, restartReplica],
];
const WEIGHTS = OPERATIONS.reduce((sum, [weight]) => sum + weight, 0);

/**
 * Random operations of many users at many hirers, at the same time, each answer and each upstream call judged by a
 * model of who may see what when. Ends with the first violation. The operations follow from the seed; how they fall
 * together does not, so that a violation may need a few runs to come back.
 */
export async function runIsolationDrill(options: DrillOptions): Promise<DrillReport> {
  const { seed, operations } = options;
  const progress: Progress = { step: 0, violations: [] };
  const context = await openContext(options, progress);
  const work = async (): Promise<void> => {
    while (progress.step < operations && progress.violations.length === 0) {
      progress.step += 1;
      const actor = drawActor(context, seed, progress.step);
      await drawOperation(actor.random)(context, actor);
    }
  };
  try {
    await grantFirst(context, seed);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await context.caller.close();
    await context.stack.close();
  }
  return { operations: progress.step, violations: progress.violations, served: context.served };
}

interface Progress {
  step: number;
  readonly violations: string[];
}

/** The world, its model, the upstream and the service. */
async function openContext(
  { seed, replicas, settings }: DrillOptions,
  progress: Progress,
): Promise<DrillContext> {
  const world = new World(seed, USER_ID_KEY);
  const memberships = new Memberships('REDIS_URL' in settings ? REPLICA_LAG_MS : 0);
  const ledger = new Ledger();
  /** With all that is needed to look into a violation: seed, step, and the history of the user at the hirer. */
  const report: Report = (fault, user, hirer) => {
    if (progress.violations.length >= VIOLATIONS_MAX) return;
    const membership =
      user && hirer
        ? [`membership of ${user.subject} at ${hirer.hirerId}:`, ...memberships.describe(user, hirer)]
        : [];
    const history = user ? ['history:', ...ledger.history(user, hirer)] : [];
    const head = `seed ${seed}, at step ${progress.step}, ${clock(now())}: ${fault}`;
    progress.violations.push([head, ...membership, ...history].join('\n  '));
  };
  const judge = new CallJudge(world, memberships, ledger, report);
  const upstream = new DrillUpstream(seed, world, ledger, judge, report);
  const sink = new DrillSink();
  const origins = { upstream: await upstream.listen(), sink: await sink.listen() };
  const stack = await startDrillStack(origins, { replicas, settings, seed, report });
  return {
    world,
    memberships,
    ledger,
    upstream,
    sink,
    stack,
    caller: new Caller(ANSWER_TIMEOUT_MS, CONNECTIONS),
    endUsers: new EndUserTokens(stack.endUserSecret),
    links: new LinkPool(),
    recent: new RecentChanges(),
    report,
    limited: Number(settings['RATE_LIMIT_REQUESTS_PER_MINUTE'] ?? 0) > 0,
    relationships: new Map(),
    served: new Map(),
  };
}

/** The memberships there are at the beginning. */
async function grantFirst(context: DrillContext, seed: string): Promise<void> {
  const random = new SeededRandom(`${seed} memberships`);
  for (const user of context.world.users) {
    await Promise.all(
      context.world.hirers
        .filter(() => random.chance(MEMBER_SHARE))
        .map((hirer) => setMembership(context, { user, hirer, random, step: 0 }, drawRoles({ random }))),
    );
  }
}

/** Who acts for which hirer: a membership that has just changed, a current one, any two, or a machine. */
function drawActor({ world, memberships, recent }: DrillContext, seed: string, step: number): Actor {
  const random = new SeededRandom(`${seed} ${step}`);
  const any = { user: random.pick(world.users), hirer: random.pick(world.hirers) };
  const dice = random.next();
  if (dice < MACHINE_SHARE) return { ...any, user: random.pick(world.machines), random, step };
  if (dice < 0.35) return { ...(recent.pick(random) ?? any), random, step };
  if (dice < 0.5) return { ...any, random, step };
  const isMember = (hirer: Hirer): boolean => memberships.latest(any.user, hirer) !== undefined;
  const own = world.hirers.filter(isMember);
  return { user: any.user, hirer: own.length > 0 ? random.pick(own) : any.hirer, random, step };
}

function drawOperation(random: SeededRandom): (typeof OPERATIONS)[number][1] {
  let dice = random.next() * WEIGHTS;
  const drawn = OPERATIONS.find(([weight]) => (dice -= weight) < 0);
  return (drawn ?? OPERATIONS[0]!)[1];
}
