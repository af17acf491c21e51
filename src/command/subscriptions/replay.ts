import { CommandFault, MISUSED } from '../command.js';
import {
  rowOf,
  select,
  type ReplayWish,
  type RunningReplay,
  type Selection,
  type Subscription,
  type SubscriptionsContext,
} from './upstream-subscriptions.js';

const IDS_MAX = 100;
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;

/** What is delivered again. */
export interface ReplayOptions {
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
  context: SubscriptionsContext,
  selection: Selection,
  options: ReplayOptions,
): Promise<void> {
  const wish = readWish(options, selection.hirer, context.now());
  const { hirer, ...others } = selection;
  const chosen = select(await context.upstream.list(), others).filter(
    ({ hirerId }) => hirer === undefined || hirerId === null || hirerId === hirer,
  );
  if (chosen.length === 0) throw new CommandFault('No subscription matches: nothing was replayed.', MISUSED);
  if ('eventIds' in wish && chosen.length > 1) {
    throw new CommandFault(
      'Events are named for one subscription: choose it with --subscription or --types.',
      MISUSED,
    );
  }
  const wishes = chosen.map((subscription) => wishFor(subscription, wish));
  for (const [index, subscription] of chosen.entries()) {
    const done = await replayOne(context, subscription, wishes[index]!, options.dryRun);
    context.print(`${done}\t${rowOf(subscription)}`);
  }
}

/** The hirer of a subscription of one hirer is not named again. */
function wishFor({ hirerId }: Subscription, wish: ReplayWish): ReplayWish {
  if ('eventIds' in wish) return wish;
  if (hirerId !== null) return { ...wish, hirerId: undefined };
  if (wish.delivered && wish.hirerId === undefined) {
    throw new CommandFault(
      '--delivered needs --hirer where a subscription is for every hirer. Nothing was replayed.',
      MISUSED,
    );
  }
  return wish;
}

async function replayOne(
  { upstream }: SubscriptionsContext,
  { id, hirerId }: Subscription,
  wish: ReplayWish,
  dryRun: boolean,
): Promise<string> {
  const running = await upstream.runningReplays(id);
  const isOfOne = hirerId !== null; // its hirer is not named again
  if (running.some((other) => isEqual(other, wish, isOfOne))) return 'under way already';
  if (dryRun) return 'would replay';
  await upstream.replay(id, wish);
  return 'replaying';
}

function isEqual(other: RunningReplay, wish: ReplayWish, isOfOne: boolean): boolean {
  if ('eventIds' in wish) {
    return [...(other.eventIds ?? [])].sort().join() === [...wish.eventIds].sort().join();
  }
  return (
    sameTime(other.since, wish.since) &&
    sameTime(other.until, wish.until) &&
    other.delivered === wish.delivered &&
    (isOfOne || other.hirerId === wish.hirerId)
  );
}

function sameTime(one: string | undefined, other: string): boolean {
  return one !== undefined && Date.parse(one) === Date.parse(other);
}

/** @throws CommandFault for a wish that the upstream would refuse */
function readWish(options: ReplayOptions, hirerId: string | undefined, now: number): ReplayWish {
  const { since, until, eventIds, delivered } = options;
  if (eventIds.length > 0) {
    if (since !== undefined || until !== undefined) {
      throw new CommandFault('Name events, or a time: not both.', MISUSED);
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
  return { since: new Date(from).toISOString(), until: new Date(to).toISOString(), delivered, hirerId };
}

/** Epoch milliseconds of an option. @throws CommandFault */
export function timeOf(option: string, text: string): number {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new CommandFault(`${option} is no time, such as 2026-01-02T03:04:05Z or 2026-01-02.`, MISUSED);
}
