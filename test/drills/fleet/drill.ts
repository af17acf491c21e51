import { setTimeout as delay } from 'node:timers/promises';
import { endsByItself } from '../../support/machine.js';
import type { Program } from '../../support/start-process.js';
import { Asking } from '../asking.js';
import { faultsOf, type Fault } from './faults.js';
import { Loads } from './loads.js';
import { openStage, type Stage } from './stage.js';

const WARM_UP_SECONDS = 3;
/** No request failed for so long: all is well. */
const CALM_MS = 2_000;
const LOOK_MS = 50;
/** An answer later than this does not come. */
const ANSWER_MS = 30_000;
/** How long to wait at most for the last deliveries, or for all to be well. */
const PATIENCE_MS = 60_000;

/** How the loads went, fault by fault and in the end. */
export type DrillReport = Awaited<ReturnType<typeof runFleetDrill>>;

/**
 * Has one thing after the other fail, each for so long, under three replicas with every load.
 * @param only names of faults match it
 */
export async function runFleetDrill(program: Program, faultSeconds: number, only: RegExp) {
  const stage = await openStage(program);
  const asking = new Asking(ANSWER_MS);
  endsByItself(() => asking.close());
  const loads = new Loads(asking, stage.replicas);
  await loads.start();
  await delay(WARM_UP_SECONDS * 1000);
  await calm({ stage, asking, loads });
  asking.turn();
  const before = stage.replicas.map(({ holdings }) => holdings);
  const faults: Awaited<ReturnType<typeof suffer>>[] = [];
  for (const fault of faultsOf(stage).filter(({ name }) => only.test(name))) {
    faults.push(await suffer(fault, faultSeconds, { stage, asking, loads }));
  }
  await loads.end();
  await calm({ stage, asking, loads });
  const { acknowledged } = loads;
  const undelivered = (): readonly string[] => acknowledged.filter((id) => !stage.delivered.has(id));
  await untilAll([async () => undelivered().length === 0], patienceFromNow());
  const holdings = stage.replicas.map(({ holdings: after }, index) => ({ before: before[index]!, after }));
  return { faults, acknowledged: acknowledged.length, undelivered: undelivered().length, holdings };
}

interface Drill {
  readonly stage: Stage;
  readonly asking: Asking;
  readonly loads: Loads;
}

/** How the loads went from the beginning of a fault until all was well. */
async function suffer(fault: Fault, seconds: number, drill: Drill) {
  const { name, mayRefuse, mayDisconnect = false } = fault;
  await fault.begin();
  await delay(seconds * 1000);
  await fault.end();
  const endedAt = performance.now();
  const wellAt = await calm(drill);
  const stretch = drill.asking.turn();
  const { unconnected } = stretch;
  const wrong = {
    ...stretch.wrong,
    ...(!mayDisconnect && unconnected > 0 && { 'connections broke': unconnected }),
  };
  return { ...stretch, wrong, name, mayRefuse, recoverySeconds: Math.max(0, wellAt - endedAt) / 1000 };
}

/** Resolves, once all is well, with the time since when; with the present when that takes a minute. */
async function calm({ stage, asking, loads }: Drill): Promise<number> {
  const isOver = patienceFromNow();
  const areReady = stage.replicas.map((replica) => () => replica.isReady());
  const readyAt = untilAll(areReady, isOver);
  let events: readonly string[] = [];
  while (events.length === 0 && !isOver()) {
    await delay(LOOK_MS);
    events = await loads.sendWebhook();
  }
  const deliveredAt = untilAll([async () => events.every((id) => stage.delivered.has(id))], isOver);
  const wellAt = Math.max(await readyAt, await deliveredAt);
  while (performance.now() - asking.lastFailureAt < CALM_MS && !isOver()) await delay(LOOK_MS);
  return Math.max(wellAt, asking.lastFailureAt);
}

/** Whether it has lasted for so long as all may take that the drill waits for. */
function patienceFromNow(): () => boolean {
  const endsAt = performance.now() + PATIENCE_MS;
  return () => performance.now() > endsAt;
}

async function untilAll(
  conditions: readonly (() => Promise<boolean>)[],
  isOver: () => boolean,
): Promise<number> {
  for (const holds of conditions) while (!isOver() && !(await holds())) await delay(LOOK_MS);
  return performance.now();
}
