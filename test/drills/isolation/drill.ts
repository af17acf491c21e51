import { SeededRandom } from '../../../playground/src/data/random.js';
import { fetchAttachment } from './attachment-operations.js';
import {
  changeMembership,
  changeRelationship,
  drawRoles,
  restartReplica,
  revokeTokens,
  rotateSecret,
  setMembership,
} from './changes.js';
import { openContext, type Actor, type DrillContext, type DrillOptions } from './context.js';
import { deliverEvent } from './event-operations.js';
import { askToken, listHirers } from './token-operations.js';
import { askArray, askOne, askTogether, askWithoutHirer } from './graphql-operations.js';
import type { Hirer } from './world.js';

const AT_ONCE = 32;
const MEMBER_SHARE = 0.3;
const MACHINE_SHARE = 0.08;

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
export async function runIsolationDrill(options: DrillOptions) {
  const { seed, operations } = options;
  const progress = { step: 0, violations: [] as string[] };
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
  return { ...progress, served: context.served };
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
