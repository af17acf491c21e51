import { CommandFault, MISUSED } from '../command.js';
import {
  rowOf,
  select,
  type ReplayInput,
  type RunningReplay,
  type Selection,
  type Subscription,
  type SubscriptionsContext,
} from './upstream-subscriptions.js';

const IDS_MAX = 100;
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;

/** The events that are delivered again. */
interface ReplayOptions {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly eventIds: readonly string[];
  readonly delivered: boolean;
  readonly dryRun: boolean;
}

/**
 * `replay`: has the upstream deliver past events again, within its limits (interface 13 and 14): 100 ids, events of the
 * last 90 days, and delivered events of one hirer only where the subscription is for every hirer. A replay that is under
 * way is not asked for again.
 */
export async function replay(
  { upstream, now, print }: SubscriptionsContext,
  selection: Selection,
  options: ReplayOptions,
): Promise<void> {
  const input = readInput(options, now());
  const { hirer, ...others } = selection;
  const chosen = select(await upstream.list(), others).filter(
    ({ hirerId }) => hirer === undefined || hirerId === null || hirerId === hirer,
  );
  if (chosen.length === 0) throw new CommandFault('No subscription matches: nothing was replayed.', MISUSED);
  if ('eventIds' in input && chosen.length > 1) {
    throw new CommandFault(
      'Events are named for one subscription: choose it with --subscription or --types.',
      MISUSED,
    );
  }
  const inputs = chosen.map((subscription) => inputFor(subscription, input, hirer));
  for (const [index, subscription] of chosen.entries()) {
    const own = inputs[index]!;
    const running = await upstream.runningReplays(subscription.id);
    const isRunning = running.some((other) => isEqual(other, own, subscription));
    if (!isRunning && !options.dryRun) await upstream.replay(subscription.id, own);
    const done = isRunning ? 'already in progress' : options.dryRun ? 'would replay' : 'replaying';
    print(`${done}\t${rowOf(subscription)}`);
  }
}

/** The hirer of a subscription of one hirer is not named again. */
function inputFor({ hirerId }: Subscription, input: ReplayInput, hirer: string | undefined): ReplayInput {
  if ('eventIds' in input || hirerId !== null) return input;
  if (hirer !== undefined) return { filter: { ...input.filter, hirerId: hirer } };
  if (!input.filter.replayDeliveredEventsIndicator) return input;
  throw new CommandFault(
    '--delivered needs --hirer where a subscription is for every hirer. Nothing was replayed.',
    MISUSED,
  );
}

function isEqual(other: RunningReplay, input: ReplayInput, { hirerId }: Subscription): boolean {
  if ('eventIds' in input) {
    return [...(other.eventIds ?? [])].sort().join() === [...input.eventIds].sort().join();
  }
  const { filter } = input;
  return (
    Date.parse(other.afterDateTime ?? '') === Date.parse(filter.createdAfterDateTime) &&
    Date.parse(other.beforeDateTime ?? '') === Date.parse(filter.createdBeforeDateTime) &&
    other.replayDeliveredEventsIndicator === filter.replayDeliveredEventsIndicator &&
    (hirerId !== null || other.hirer?.id.value === filter.hirerId)
  );
}

/** @throws CommandFault for what the upstream would refuse */
function readInput({ since, until, eventIds, delivered }: ReplayOptions, now: number): ReplayInput {
  if (eventIds.length > 0) {
    if (since !== undefined || until !== undefined) {
      throw new CommandFault('Name events or a time, not both.', MISUSED);
    }
    if (eventIds.length > IDS_MAX) {
      throw new CommandFault(`A replay names at most ${IDS_MAX} events.`, MISUSED);
    }
    return { eventIds: [...new Set(eventIds)] };
  }
  if (since === undefined) {
    throw new CommandFault('Name the time with --since and --until, or events with --event.', MISUSED);
  }
  const [from, to] = [timeOf('--since', since), until === undefined ? now : timeOf('--until', until)];
  if (from >= to) throw new CommandFault('--since is not before --until.', MISUSED);
  if (from < now - KEPT_DAYS * DAY_MS) {
    throw new CommandFault(`The upstream keeps events for ${KEPT_DAYS} days: --since is earlier.`, MISUSED);
  }
  return {
    filter: {
      createdAfterDateTime: new Date(from).toISOString(),
      createdBeforeDateTime: new Date(to).toISOString(),
      replayDeliveredEventsIndicator: delivered,
    },
  };
}

/** Epoch milliseconds of an option. @throws CommandFault */
export function timeOf(option: string, text: string): number {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new CommandFault(`${option} is not a time, such as 2026-01-02T03:04:05Z or 2026-01-02.`, MISUSED);
}
