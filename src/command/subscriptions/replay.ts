import { CommandFault, MISUSED } from '../command.js';
import { FLAG, TEXT, TEXTS, type Values } from '../read-arguments.js';
import {
  CHOICE,
  rowOf,
  select,
  type ReplayInput,
  type Subscription,
  type SubscriptionsContext,
} from './upstream-subscriptions.js';

const IDS_MAX = 100;
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;

export const REPLAY = {
  ...CHOICE,
  since: TEXT,
  until: TEXT,
  event: TEXTS,
  delivered: FLAG,
  'dry-run': FLAG,
} as const;

/**
 * `replay`: has the upstream deliver past events again, within its limits (interface 13 and 14): 100 ids, events of the
 * last 90 days, and delivered events of one hirer only where the subscription is for every hirer.
 */
export async function replay(
  { upstream, now, print }: SubscriptionsContext,
  values: Values<typeof REPLAY>,
): Promise<void> {
  const input = readInput(values, now());
  const { hirer, 'dry-run': dryRun, ...choice } = values;
  const chosen = select(await upstream.list(), choice).filter(
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
    if (!dryRun) await upstream.replay(subscription.id, inputs[index]!);
    print(`${dryRun ? 'would replay' : 'replaying'}\t${rowOf(subscription)}`);
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

/** @throws CommandFault for what the upstream would refuse */
function readInput(
  { since, until, event: eventIds, delivered }: Values<typeof REPLAY>,
  now: number,
): ReplayInput {
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
